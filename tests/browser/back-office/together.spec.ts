/** Two admins and two judges work at the same time, each in a separate browser. No change overwrites the change of another user. */
import type { Page } from '@playwright/test'
import { add, expect, judgesPage, must, signedIn, test, toast } from '../support/club.ts'
import { artist } from '../support/entries.ts'

const place = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ hasText: 'Isla McPhail' }).getByRole('button', { name })

test('two admins and two judges: every stale change is refused, and the newer change is shown', async ({ browser, office, club }) => {
  const [school] = await add(club, 'schools', { name: 'Ashton Academy' })
  const [entry] = await add(club, 'young_artist_entries', artist)
  await add(club, 'invited_guests', { name: 'Priya Menon', email: 'priya@example.org' })
  const second = await signedIn(browser, club, club.admin)
  const judges = [await judgesPage(browser, club), await judgesPage(browser, club)] as const
  for (const page of judges) await expect(place(page, '1st Place')).toBeVisible()
  // The pages of the second judge and the first admin get no updates until these users act, however long the other users take.
  let blind = true
  await judges[1].route('**/rest/v1/young_artist_entries*', (route) => {
    if (route.request().method() === 'PATCH') blind = false
    return blind ? route.abort() : route.continue()
  })
  await office.routeWebSocket(/\/realtime\/v1\//, () => undefined)
  await office.route(/offline_submissions\?select=updated_at/, (route) => route.abort())

  // Both admins open the same guest. Both judges see an entry without a place.
  for (const page of [office, second]) {
    await page.goto('/admin?tab=guests')
    await page.getByRole('button', { name: 'Edit Priya Menon' }).click()
  }
  await second.getByRole('dialog').getByLabel('Status').selectOption({ label: 'Accepted' })
  await second.getByRole('button', { name: 'Save Guest' }).click()
  await expect(toast(second, 'Guest updated successfully')).toBeVisible()
  await office.getByRole('dialog').getByLabel('Phone').fill('01475 630001')
  await office.getByRole('button', { name: 'Save Guest' }).click()
  const notice = office.getByRole('dialog').getByRole('alert')
  await expect(notice).toContainText('Somebody else has changed this record in the meantime.')
  await expect(notice).toContainText('Status is now')
  await expect(notice).toContainText('accepted')
  const guest = () => must(club.database.from('invited_guests').select('status, phone'))
  expect(await guest()).toEqual([{ status: 'accepted', phone: null }])
  await notice.getByRole('button', { name: 'Take over their version' }).click()
  await office.getByRole('dialog').getByLabel('Phone').fill('01475 630001')
  await office.getByRole('button', { name: 'Save Guest' }).click()
  await expect(toast(office, 'Guest updated successfully')).toBeVisible()
  expect(await guest()).toEqual([{ status: 'accepted', phone: '01475 630001' }])

  await place(judges[0], '1st Place').click()
  await expect(toast(judges[0], 'Ranking updated')).toBeVisible()
  await place(judges[1], '2nd Place').click()
  await expect(toast(judges[1], 'Another judge has just placed this entry')).toBeVisible()
  await expect(place(judges[1], '1st Place')).toHaveAttribute('aria-pressed', 'true')
  expect(await must(club.database.from('young_artist_entries').select('junior_ranking'))).toEqual([{ junior_ranking: 1 }])

  // An admin sees that a judge has given the entry a place.
  await office.goto(`/admin?tab=artist&entry=${entry?.id}`)
  await expect(office.getByRole('dialog')).toContainText('A judge changed this record')

  // The counts of paper entries are stored separately and have no common version. Therefore each admin can set a different number at the same time.
  for (const page of [office, second]) {
    await page.goto('/admin')
    await page.getByRole('button', { name: 'Offline submissions' }).click()
    await page.getByLabel('School').selectOption({ label: 'Ashton Academy' })
    await page.getByLabel('Category').selectOption({ label: 'Artist' })
  }
  await second.getByLabel('Number of entries').fill('7')
  await second.getByRole('button', { name: 'Save' }).click()
  await expect(toast(second, 'Offline submission count saved')).toBeVisible()
  await office.getByLabel('Number of entries').fill('3')
  await office.getByRole('button', { name: 'Save' }).click()
  await expect(toast(office, 'Somebody else has set this count to 7 (Artist)')).toBeVisible()
  const counts = () => must(club.database.from('offline_submissions').select('school_id, count'))
  expect(await counts()).toEqual([{ school_id: school?.id, count: 7 }])
  await expect(office.getByRole('row', { name: /Ashton Academy Artist 7/ })).toBeVisible()
  await office.getByRole('button', { name: 'Save' }).click()
  await expect(toast(office, 'Offline submission count saved')).toBeVisible()
  expect(await counts()).toEqual([{ school_id: school?.id, count: 3 }])

  for (const page of [second, ...judges]) await page.context().close()
})
