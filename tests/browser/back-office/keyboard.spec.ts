/** Users can complete tasks with the keyboard alone, without clicks. Tab, the arrow keys and the app's own shortcuts move the focus. */
import type { Locator, Page } from '@playwright/test'
import { messagesTo } from '../../support/inbox.mjs'
import { add, expect, must, test, toast } from '../support/club.ts'
import { artist, png } from '../support/entries.ts'

/** Presses Tab until an element has the focus, as a user without a mouse does. */
async function tabTo(page: Page, target: Locator, key = 'Tab') {
  await expect(target).toBeVisible()
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press(key)
  }
  throw new Error(`Tab does not lead to ${String(target)}`)
}

test('review by keyboard: open a tab, search an entry, open its details and picture, and return', async ({ office, club }) => {
  const path = 'artist/orla/1760000000091-boat.png'
  await must(club.database.storage.from('youth-awards-submissions').upload(path, png, { contentType: 'image/png', upsert: true }))
  await add(club, 'young_artist_entries', [
    artist,
    { ...artist, entrant_name: 'Orla Kerr', artwork_title: 'Last boat', uploaded_files: [path] },
  ])
  await office.goto('/admin')
  await expect(office.getByText('2 submissions in total')).toBeVisible()
  await tabTo(office, office.getByRole('tab', { name: /^Summary/ }))
  for (const tab of ['Citizen', 'Musician', 'Photographer', 'Artist']) {
    await office.keyboard.press('ArrowDown')
    await expect(office.getByRole('tab', { name: new RegExp(`^${tab}`) })).toBeFocused()
  }
  await expect(office.getByRole('article')).toHaveCount(2)
  await office.keyboard.press('/')
  await expect(office.getByRole('searchbox', { name: 'Search entries' })).toBeFocused()
  await office.keyboard.type('orla')
  await expect(office.getByRole('article')).toHaveCount(1)
  await tabTo(office, office.getByRole('button', { name: 'View: Orla Kerr' }))
  await office.keyboard.press('Enter')
  const dialog = office.getByRole('dialog', { name: 'Young Artist Entry: Orla Kerr' })
  await expect(dialog).toContainText('Last boat')
  await tabTo(office, dialog.getByRole('button', { name: 'Look closely at boat.png' }))
  await office.keyboard.press('Enter')
  const viewer = office.getByRole('dialog', { name: 'boat.png' })
  await expect(viewer.getByRole('img', { name: 'boat.png' })).toBeVisible()
  // React first renders the update that enables pointer events in the upper dialog. Radix closes this dialog on Escape only after an effect that runs
  // later.
  await expect(viewer).toHaveCSS('pointer-events', 'auto')
  await office.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0))))
  await office.keyboard.press('Escape')
  await expect(viewer).toHaveCount(0)
  await expect(dialog).toBeVisible()
  await office.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(office.getByRole('button', { name: 'View: Orla Kerr' })).toBeFocused()
})

test('ranking by keyboard: sign in, give a place, change it, note a known entrant, open the other award', async ({ page, club }) => {
  await add(club, 'young_artist_entries', artist)
  await page.goto('/judging')
  await tabTo(page, page.getByLabel('Enter judging password'))
  await page.keyboard.type(club.judgingPassword)
  await page.keyboard.press('Enter')
  const card = page.getByRole('listitem').filter({ hasText: 'Isla McPhail' })
  const place = (name: string) => card.getByRole('button', { name })
  await tabTo(page, place('1st Place'))
  await page.keyboard.press('Space')
  await expect(place('1st Place')).toHaveAttribute('aria-pressed', 'true')
  await expect(place('2nd Place')).toBeEnabled()
  // While the page saves a place, the buttons are disabled. The focus must stay on the pressed button.
  await expect(place('1st Place')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(place('2nd Place')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(place('2nd Place')).toHaveAttribute('aria-pressed', 'true')
  await tabTo(page, card.getByRole('checkbox', { name: 'I know this entrant' }), 'Shift+Tab')
  await page.keyboard.press('Space')
  const row = () => must(club.database.from('young_artist_entries').select('junior_ranking, ranking_conflict'))
  await expect.poll(row).toEqual([{ junior_ranking: 2, ranking_conflict: true }])
  await tabTo(page, page.getByRole('tab', { name: 'Young Artist' }), 'Shift+Tab')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByText('No entries found for this category')).toHaveCount(2)
})

test('guest mailing by keyboard: choose guests, write, send, and hear the result', async ({ office, club }) => {
  await add(club, 'invited_guests', [
    { name: 'Priya Menon', email: 'priya@example.org' },
    { name: 'Tom Galbraith', email: 'tom@example.org' },
  ])
  await office.goto('/admin?tab=guests')
  await tabTo(office, office.getByRole('checkbox', { name: 'Select all: Invited' }))
  await office.keyboard.press('Space')
  await tabTo(office, office.getByRole('button', { name: 'Email Selected (2)' }), 'Shift+Tab')
  await office.keyboard.press('Enter')
  const message = office.getByLabel('Message')
  await expect(message).toHaveValue(/\{guest\}/)
  await tabTo(office, message)
  await office.keyboard.press('Control+a')
  await office.keyboard.type('Dear {guest}, the doors open at six.')
  await tabTo(office, office.getByRole('button', { name: 'Send to 2 Guests' }))
  await office.keyboard.press('Enter')
  await expect(toast(office, 'Sent 2 email(s) successfully')).toBeVisible({ timeout: 20_000 })
  const all = async (address: string): Promise<{ html: string }[]> => messagesTo(club.url, address)
  for (const [address, name] of [['priya@example.org', 'Priya Menon'], ['tom@example.org', 'Tom Galbraith']] as const) {
    const letters = (await all(address)).filter(({ html }) => html.includes('the doors open at six'))
    expect(letters.map(({ html }) => html.includes(`Dear ${name}`))).toEqual([true])
  }
})
