/** The page shows changes by other users through realtime. The test blocks the page's own polling, so that polling cannot find the changes. */
import type { Page } from '@playwright/test'
import { authLink, messageTo } from '../../support/inbox.mjs'
import { add, expect, judgesPage, must, signedIn, test, toast } from '../support/club.ts'
import { artist } from '../support/entries.ts'

/** Blocks the page's own polling for changes. @returns a promise that resolves when the page has joined the realtime channel */
async function hearing(page: Page): Promise<{ joined: Promise<void> }> {
  await page.route(/select=updated_at&/, (route) => route.abort())
  // The listener is added first, because on a busy machine the socket and its first messages arrive in the same task.
  const joined = new Promise<void>((done) => {
    page.on('websocket', (socket) => {
      if (!socket.url().includes('/realtime/v1/')) return
      socket.on('framereceived', ({ payload }) => {
        if (/phx_reply.*"ok"/.test(String(payload))) done()
      })
    })
  })
  return { joined }
}

test('a new entry, its count and a judge’s place appear on an admin’s page', async ({ office, club }) => {
  const { joined } = await hearing(office)
  await office.goto('/admin?tab=artist')
  await joined
  await expect(office.getByText('No submissions yet')).toBeVisible()
  const [entry] = await add(club, 'young_artist_entries', artist)
  await expect(office.getByText('Isla McPhail')).toBeVisible()
  await expect(office.getByRole('tab', { name: 'Artist (1)' })).toBeVisible()
  await expect(office.getByText('1 submissions in total')).toBeVisible()
  await must(club.database.from('young_artist_entries').delete().eq('id', entry?.id ?? '').select())
  await expect(office.getByText('No submissions yet')).toBeVisible()
})

test('a change by a second admin appears on the first admin’s page, in every list and without a reload', async ({ browser, office, club }) => {
  await add(club, 'schools', { name: 'Ashton Academy' })
  await add(club, 'young_artist_entries', artist)
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org' })
  const second = await signedIn(browser, club, club.admin)
  /** Opens a part of the page as the first admin, and waits until the page has subscribed to changes. */
  const watch = async (part: string) => {
    const { joined } = await hearing(office)
    await office.goto(`/admin?tab=${part}`)
    await joined
    await expect(office.getByText('Loading...')).toHaveCount(0)
    await second.goto(`/admin?tab=${part}`)
  }

  await watch('artist')
  await second.getByRole('button', { name: 'View: ' }).click()
  await second.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
  const form = second.getByRole('dialog', { name: 'Edit Entry' })
  await form.getByLabel('Artwork title').fill('Gulls over the pool')
  await form.getByRole('combobox', { name: /^School/ }).selectOption({ label: 'Ashton Academy' })
  await form.getByRole('button', { name: 'Save Entry' }).click()
  await expect(toast(second, 'Entry updated successfully')).toBeVisible()
  await expect(office.getByText('Gulls over the pool')).toBeVisible()
  await expect(office.getByRole('heading', { name: 'Ashton Academy' })).toBeVisible()

  await watch('guests')
  await second.getByRole('button', { name: 'Edit Priya Menon' }).click()
  await second.getByRole('dialog').getByLabel('Status').selectOption({ label: 'Accepted' })
  await second.getByRole('button', { name: 'Save Guest' }).click()
  await expect(office.getByRole('heading', { name: /Accepted/ })).toBeVisible()

  await watch('website&part=partners')
  await second.getByRole('button', { name: 'Add Partner' }).click()
  await second.getByRole('dialog').getByLabel('Name').fill('A chandler')
  await second.getByRole('dialog').getByLabel('Words').fill('Gives the ropes.')
  await second.getByRole('dialog').getByLabel('Place in the list').fill('50')
  await second.getByRole('dialog').getByRole('button', { name: 'Add Partner' }).click()
  await expect(office.getByRole('row', { name: /A chandler/ })).toBeVisible()
  await second.getByRole('button', { name: 'Delete A chandler' }).click()
  await expect(office.getByRole('row', { name: /A chandler/ })).toHaveCount(0)
  await second.context().close()
})

test('invitations, their acceptance and removals appear under People', async ({ browser, office, club }) => {
  const { joined } = await hearing(office)
  await office.goto('/admin?tab=people')
  await joined
  const row = office.getByRole('row', { name: /bosun@club\.example\.org/ })
  const second = await signedIn(browser, club, club.admin)
  await second.goto('/admin?tab=people')
  await second.getByRole('button', { name: 'Invite Admin' }).click()
  await second.getByRole('dialog').getByLabel('Email').fill('bosun@club.example.org')
  await second.getByRole('button', { name: 'Send Invitation' }).click()
  await expect(row).toContainText('Invited')
  const theirs = await (await browser.newContext({ baseURL: club.url })).newPage()
  await theirs.goto(authLink(await messageTo(club.url, 'bosun@club.example.org')))
  await expect(theirs.getByRole('heading', { name: 'Set Your Password' })).toBeVisible()
  await expect(row).toContainText('Administrator')
  // The notice covers a part of the row's button, and stays while the pointer is above it.
  await second.mouse.move(0, 0)
  await expect(toast(second, 'The invitation was sent to bosun@club.example.org')).toHaveCount(0)
  await second.getByRole('button', { name: 'Remove bosun@club.example.org' }).click()
  await second.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(row).toHaveCount(0)
  for (const page of [second, theirs]) await page.context().close()
})

test('two judges see each other’s places', async ({ browser, club }) => {
  await add(club, 'young_artist_entries', artist)
  const open = async () => {
    let told: { joined: Promise<unknown> } | undefined
    const page = await judgesPage(browser, club, async (opened) => (told = await hearing(opened)))
    await told?.joined
    return page
  }
  const judges = [await open(), await open()] as const
  const first = (page: Page) => page.getByRole('button', { name: '1st Place' })
  for (const page of judges) await expect(first(page)).toBeVisible()
  await first(judges[0]).click()
  await expect(first(judges[1])).toHaveAttribute('aria-pressed', 'true')
  await first(judges[1]).click()
  await expect(first(judges[0])).toHaveAttribute('aria-pressed', 'false')
  for (const page of judges) await page.context().close()
})

test('a stranger receives no change, even with the key from the page', async ({ club, browser }) => {
  const page = await (await browser.newContext({ baseURL: club.url })).newPage()
  await page.goto('/')
  const answers = await page.evaluate(
    async ([url, key]) => {
      const socket = new WebSocket(`${String(url).replace(/^http/, 'ws')}/realtime/v1/websocket?apikey=${key}&vsn=1.0.0`)
      await new Promise((open) => socket.addEventListener('open', open))
      const join = (topic: string, secret: boolean) =>
        new Promise<string>((done) => {
          socket.addEventListener('message', ({ data }) => {
            const frame = JSON.parse(String(data))
            if (frame.event === 'phx_reply' && frame.topic === `realtime:${topic}`) done(frame.payload.status)
          })
          const payload = { config: { private: secret, broadcast: {}, presence: {}, postgres_changes: [] } }
          socket.send(JSON.stringify({ topic: `realtime:${topic}`, event: 'phx_join', payload, ref: '1', join_ref: '1' }))
        })
      return [await join('desk', true), await join('judging', true)]
    },
    [club.url, club.anonKey],
  )
  expect(answers).toEqual(['error', 'error'])
  await page.context().close()
})
