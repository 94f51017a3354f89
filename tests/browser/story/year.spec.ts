/**
 * A volunteer's year on a phone with a bad connection, from the creation of a season to the creation of the next season. An entry arrives, a judge
 * gives it a place, the winner gets a mail and a certificate, the volunteer publishes the results and deletes the season's data.
 */
import type { Page } from '@playwright/test'
import { add, clientOf, expect, judgesPage, must, signedIn, test, toast, unfold } from '../support/club.ts'
import { artist } from '../support/entries.ts'

const phone = { width: 390, height: 844 }
const day = 24 * 3600 * 1000
const date = (days: number) => new Date(Date.now() + days * day).toISOString().slice(0, 10)

/** Delays every request, and aborts every seventh read. @returns a function that makes the next call of a given database function fail */
async function onBadLine(page: Page): Promise<(name: string) => void> {
  let reads = 0
  let lost: string | undefined
  await page.route(/\/(rest|storage|functions)\/v1\//, async (route) => {
    const request = route.request()
    const isRead = request.method() === 'GET'
    if (isRead) reads += 1
    if ((isRead && reads % 7 === 0) || (lost !== undefined && request.url().endsWith(`/rpc/${lost}`))) {
      if (!isRead) lost = undefined
      await route.abort('connectionreset')
      return
    }
    await new Promise((done) => setTimeout(done, 120))
    await route.continue().catch(() => undefined)
  })
  return (name) => {
    lost = name
  }
}

test('a volunteer’s year on a phone with a bad line', async ({ club, browser }) => {
  test.slow()
  const page = await signedIn(browser, club, club.admin)
  await page.setViewportSize(phone)
  const lose = await onBadLine(page)
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const visitor = clientOf(club.url, club.anonKey)
  const enter = (name: string) =>
    visitor.from('young_artist_entries').insert({ entrant_name: name, age: 15, parent_guardian_email: 'family@example.org', category: 'Senior', artwork_title: 'Tide', publicity_consent: 'agree' })

  // The forms open when a season is created. With only the past season `Before`, they are closed.
  await add(club, 'seasons', { name: 'Before', opens_on: date(-90), deadline_on: date(-60), event_on: date(-30) })
  expect((await enter('Too Early')).error).not.toBeNull()
  await page.goto('/admin?tab=summary')
  await button('Add Season').click()
  const season = page.getByRole('dialog', { name: 'Add Season' })
  await season.getByLabel('Season name').fill('2099')
  await season.getByLabel('First day for entries').fill(date(-1))
  await season.getByLabel('Last day for entries').fill(date(20))
  await season.getByLabel('Date of the event').fill(date(30))
  await season.getByLabel('Time of the event').fill('7 PM')
  await season.getByRole('button', { name: 'Add Season' }).click()
  await expect(toast(page, 'Season added successfully')).toBeVisible()
  expect((await enter('Una Quarrie')).error).toBeNull()

  // A judge enters the password of the portal and gives the entry a place.
  const judge = await judgesPage(browser, club, (one) => one.setViewportSize(phone))
  await judge.getByRole('button', { name: '1st Place' }).click()
  await expect(toast(judge, 'Ranking updated')).toBeVisible()
  await judge.context().close()

  // The winner's mail.
  await page.goto('/admin?tab=artist')
  await expect(page.getByText('Una Quarrie').first()).toBeVisible()
  await unfold(page)
  await button('Send Mails').click()
  const mails = page.getByRole('dialog', { name: 'Mails: Young Artist' })
  await mails.getByLabel('Mail', { exact: true }).selectOption('winner')
  await mails.getByRole('checkbox', { name: /^All that do not have it yet/ }).check()
  await expect(mails.getByRole('region', { name: 'Preview for Una Quarrie' })).toContainText('1st place')
  await mails.getByRole('button', { name: 'Send to 1 Entry' }).click()
  await expect(toast(page, '1 mail is being sent.')).toBeVisible()
  expect(await must(club.database.from('entry_mails').select('state'))).toEqual([{ state: 'winner' }])
  await mails.getByRole('button', { name: 'Close' }).first().click()

  // The certificate.
  await page.goto('/admin?tab=summary')
  const file = page.waitForEvent('download')
  await button('Download certificates').click()
  expect((await file).suggestedFilename()).toBe('certificates.pdf')

  // The first request to publish the results fails, so the page publishes them at the second attempt.
  await page.goto('/admin?tab=website&part=results')
  await button(/^Add the results of 2099/).click()
  await expect(toast(page, '1 entry was added')).toBeVisible()
  lose('publish_site')
  await button('Publish').click()
  await expect(toast(page, 'Error')).toBeVisible()
  await button('Publish').click()
  await expect(toast(page, 'The website is published')).toBeVisible()
  const named = async () => JSON.stringify((await must(visitor.rpc('published_content'))).results)
  expect(await named()).toContain('Una Quarrie')

  // At the end of the year, the volunteer deletes the season's data, including the name on the website. When the next season is created, the forms
  // are open again.
  await must(club.database.from('young_artist_entries').update({ created_at: new Date(Date.now() - 150 * day).toISOString() }).eq('entrant_name', 'Una Quarrie').select())
  await must(club.database.from('seasons').delete().eq('name', 'Before').select())
  await must(club.database.from('seasons').update({ opens_on: date(-200), deadline_on: date(-140), event_on: date(-125) }).eq('name', '2099').select())
  expect((await enter('Too Late')).error).not.toBeNull()
  await page.goto('/admin?tab=summary')
  await button('Show what would go').click()
  const deletion = page.getByRole('dialog', { name: 'Delete the data of 2099' })
  await deletion.getByLabel('Type 2099 to confirm').fill('2099')
  await deletion.getByRole('button', { name: 'Delete for good' }).click()
  await expect(toast(page, 'The personal data of 2099 is deleted: 1 entries')).toBeVisible()
  expect(await named()).toBe('[]')
  expect(await must(club.database.from('entry_mails').select('state'))).toEqual([])
  await button('Add Season').first().click()
  await season.getByLabel('Season name').fill('2100')
  await season.getByLabel('Date of the event').fill(date(60))
  await season.getByRole('button', { name: 'Add Season' }).click()
  await expect(toast(page, 'Season added successfully')).toBeVisible()
  expect((await enter(`${artist.entrant_name} of the next season`)).error).toBeNull()
  await page.context().close()
})
