/** What others do appears by itself, told by the server: no look of the page's own is let through that would find it. */
import type { Page } from '@playwright/test'
import { add, expect, judgesPage, must, test } from '../support/club.ts'
import { artist } from '../support/entries.ts'

/** Refuses a page's own looks for changes. @returns a promise of its having joined the server's channel */
async function hearing(page: Page): Promise<{ joined: Promise<unknown> }> {
  await page.route(/select=updated_at&/, (route) => route.abort())
  const socket = page.waitForEvent('websocket', (opened) => opened.url().includes('/realtime/v1/'))
  return { joined: socket.then((opened) => opened.waitForEvent('framereceived', ({ payload }) => /phx_reply.*"ok"/.test(String(payload)))) }
}

test('a new entry and its count, and a judge’s place, appear at an admin’s', async ({ office, club }) => {
  const { joined } = await hearing(office)
  await office.goto('/admin?tab=artist')
  await joined
  await expect(office.getByText('No submissions yet')).toBeVisible()
  const [entry] = await add(club, 'young_artist_entries', artist)
  await expect(office.getByText('Isla McPhail')).toBeVisible()
  await expect(office.getByRole('tab', { name: 'Artist 1' })).toBeVisible()
  await expect(office.getByText('1 submissions in total')).toBeVisible()
  await must(club.database.from('young_artist_entries').delete().eq('id', entry?.id ?? '').select())
  await expect(office.getByText('No submissions yet')).toBeVisible()
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

test('a stranger hears nothing, whatever key the page shows', async ({ club, browser }) => {
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
