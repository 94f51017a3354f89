/**
 * A volunteer's year on a phone with a bad connection, from the creation of a season to the creation of the next season. An entry arrives, a parent is
 * reminded, a judge gives a place, the winner gets a mail and a certificate, the volunteer publishes the results and deletes the season's data.
 *
 * Every response is delayed. The connection is cut while pages load, before a request reaches the server, and after the server has executed the
 * request but before the response reaches the browser. Each time, the volunteer sees an error message and repeats the action. No action takes
 * effect twice, and no data is lost.
 */
import type { Locator, Page } from '@playwright/test'
import { messagesTo } from '../../support/inbox.mjs'
import { add, clientOf, expect, judgesPage, must, signedIn, test as base, unfold } from '../support/club.ts'
import { openCuttableConnection, type CuttableConnection } from '../support/cuttable-connection.ts'
import { artist } from '../support/entries.ts'
import { day as date } from '../support/seasons.ts'

const phone = { width: 390, height: 844 }
const day = 24 * 3600 * 1000
/** The delay of each part of an answer, in milliseconds. */
const delay = 120

const test = base.extend<{ line: CuttableConnection }>({
  line: async ({ club }, use) => {
    const line = await openCuttableConnection(club.url, delay)
    await use(line)
    await line.close()
  },
})

/** Returns a notice with the given text. The code for notices in the corner is loaded when the first notice appears. If this fails, a plain
 * list shows the notices. */
const said = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text }).last()

/** Clicks while the connection is cut. Waits until the page says that something went wrong, then repairs the connection. */
async function clickOnCut(page: Page, line: CuttableConnection, cut: Promise<void>, control: Locator, message = 'The server cannot be reached') {
  await control.click()
  await cut
  await expect(said(page, message)).toBeVisible({ timeout: 60_000 })
  line.fix()
  // On a phone, the notice covers the button below it.
  await said(page, message).getByRole('button', { name: 'Close' }).click()
}

test('a volunteer’s year on a phone with a bad connection', async ({ club, browser, line }) => {
  test.setTimeout(600_000)
  const farAway = { ...club, url: line.url }
  const page = await signedIn(browser, farAway, club.admin)
  await page.setViewportSize(phone)
  const button = (name: string | RegExp) => page.getByRole('button', { name })
  const visitor = clientOf(club.url, club.anonKey)
  const parent = `family-${Date.now()}@example.org`
  const enter = (name: string) =>
    visitor.from('young_artist_entries').insert({ entrant_name: name, age: 15, parent_guardian_email: parent, category: 'Senior', artwork_title: 'Tide', publicity_consent: 'agree' })

  // The forms open when a season is created. With only the past season `Before`, they are closed.
  await add(club, 'seasons', { name: 'Before', opens_on: date(-90), deadline_on: date(-60), event_on: date(-30) })
  expect((await enter('Too Early')).error).not.toBeNull()

  // The connection is lost while the page loads. When it is back, the page shows the missing data without a reload.
  const lost = line.cutAtRequest('GET /rest/v1/seasons')
  await page.goto('/admin?tab=summary')
  await lost
  line.fix()
  await expect(page.getByRole('heading', { name: 'Summary' })).toBeVisible()
  const again = page.getByRole('button', { name: 'Try again' })
  await expect(button('Add Season').first().or(again.first())).toBeVisible({ timeout: 60_000 })
  while ((await again.count()) > 0) {
    await again.first().click()
    await page.waitForTimeout(1000)
  }

  // The server creates the season, but the response does not reach the browser. The volunteer's input is still there, and the second attempt shows
  // that the season exists.
  await button('Add Season').first().click()
  const season = page.getByRole('dialog', { name: 'Add Season' })
  await season.getByLabel('Season name').fill('2099')
  await season.getByLabel('First day for entries').fill(date(-1))
  await season.getByLabel('Last day for entries').fill(date(20))
  await season.getByLabel('Date of the event').fill(date(30))
  await season.getByLabel('Time of the event').fill('7 PM')
  await clickOnCut(page, line, line.cutBeforeAnswer('POST /rest/v1/seasons'), season.getByRole('button', { name: 'Add Season' }))
  await expect(season.getByLabel('Season name')).toHaveValue('2099')
  await season.getByRole('button', { name: 'Add Season' }).click()
  await expect(said(page, 'There is a season with this name already')).toBeVisible()
  await season.getByRole('button', { name: 'Cancel' }).click()
  expect(await must(club.database.from('seasons').select('name').eq('name', '2099'))).toHaveLength(1)
  expect((await enter('Una Quarrie')).error).toBeNull()

  // The entry has no picture. The reminder is sent only once, although the response to the first attempt is lost.
  await page.goto('/admin?tab=summary')
  await button('Send Reminders').click()
  const reminders = page.getByRole('dialog', { name: /^Reminders before/ })
  await reminders.getByLabel('Group').selectOption('files')
  await expect(reminders.getByRole('region', { name: 'Preview for Una Quarrie' })).toContainText('in 20 days')
  await clickOnCut(page, line, line.cutBeforeAnswer('POST /rest/v1/rpc/send_reminders'), reminders.getByRole('button', { name: 'Send 1 Reminder' }))
  await expect(reminders.getByText(/^Last reminded on/)).toBeVisible({ timeout: 60_000 })
  await reminders.getByRole('button', { name: 'Close' }).first().click()
  const reminded = async () => (await messagesTo(club.url, parent)).filter(({ subject }: { subject: string }) => subject.includes('picture is missing')).length
  await expect.poll(reminded).toBe(1)

  // A judge enters the password of the portal and gives the entry a place. The first attempt does not reach the server.
  const judge = await judgesPage(browser, farAway, (one) => one.setViewportSize(phone))
  await clickOnCut(judge, line, line.cutAtRequest('PATCH /rest/v1/young_artist_entries'), judge.getByRole('button', { name: '1st Place' }), 'Failed to update ranking')
  expect(await must(club.database.from('young_artist_entries').select('senior_ranking'))).toEqual([{ senior_ranking: null }])
  await judge.getByRole('button', { name: '1st Place' }).click()
  await expect(said(judge, 'Ranking updated')).toBeVisible()
  await judge.context().close()

  // The winner's mail. The first attempt has sent the mail; the second attempt shows that it was already sent.
  await page.goto('/admin?tab=artist')
  await expect(page.getByText('Una Quarrie').first()).toBeVisible()
  await unfold(page)
  await button('Send Mails').click()
  const mails = page.getByRole('dialog', { name: 'Mails: Young Artist' })
  await mails.getByLabel('Mail', { exact: true }).selectOption('winner')
  await mails.getByRole('checkbox', { name: /^All that do not have it yet/ }).check()
  await expect(mails.getByRole('region', { name: 'Preview for Una Quarrie' })).toContainText('1st place')
  await clickOnCut(page, line, line.cutBeforeAnswer('POST /rest/v1/rpc/send_state_mails'), mails.getByRole('button', { name: 'Send to 1 Entry' }))
  await expect(mails.getByRole('checkbox', { name: /^Una Quarrie.*has it already/ })).toBeDisabled({ timeout: 60_000 })
  expect(await must(club.database.from('entry_mails').select('state'))).toEqual([{ state: 'winner' }])
  await mails.getByRole('button', { name: 'Close' }).first().click()
  const won = async () => (await messagesTo(club.url, parent)).filter(({ subject }: { subject: string }) => subject.includes('the result of')).length
  await expect.poll(won).toBe(1)

  // The certificate of the winner.
  await page.goto('/admin?tab=summary')
  const file = page.waitForEvent('download')
  await button('Download certificates').click()
  expect((await file).suggestedFilename()).toBe('certificates.pdf')

  // The first request to publish the results does not reach the server. The response to the second request is lost.
  await page.goto('/admin?tab=website&part=results')
  await button(/^Add the results of 2099/).click()
  await expect(said(page, '1 entry was added')).toBeVisible()
  const named = async () => JSON.stringify((await must(visitor.rpc('published_content'))).results)
  await clickOnCut(page, line, line.cutAtRequest('POST /rest/v1/rpc/publish_site'), button('Publish'))
  expect(await named()).not.toContain('Una Quarrie')
  await expect(button('Publish')).toBeEnabled({ timeout: 60_000 })
  await clickOnCut(page, line, line.cutBeforeAnswer('POST /rest/v1/rpc/publish_site'), button('Publish'))
  expect(await named()).toContain('Una Quarrie')

  // At the end of the year, the volunteer deletes the season's data, including the name on the website. The connection is lost on the way; the second
  // attempt deletes the rest. When the next season is created, the forms are open again.
  await must(club.database.from('young_artist_entries').update({ created_at: new Date(Date.now() - 150 * day).toISOString() }).eq('entrant_name', 'Una Quarrie').select())
  await must(club.database.from('reminders').update({ created_at: new Date(Date.now() - 150 * day).toISOString() }).not('id', 'is', null).select())
  await must(club.database.from('seasons').delete().eq('name', 'Before').select())
  await must(club.database.from('seasons').update({ opens_on: date(-200), deadline_on: date(-140), event_on: date(-125) }).eq('name', '2099').select())
  expect((await enter('Too Late')).error).not.toBeNull()
  await page.goto('/admin?tab=summary')
  await button('Show what would go').click()
  const deletion = page.getByRole('dialog', { name: 'Delete the data of 2099' })
  await deletion.getByLabel('Type 2099 to confirm').fill('2099')
  await clickOnCut(page, line, line.cutAtRequest('POST /rest/v1/rpc/delete_season'), deletion.getByRole('button', { name: 'Delete for good' }))
  await deletion.getByRole('button', { name: 'Delete for good' }).click()
  await expect(said(page, 'The personal data of 2099 is deleted: 1 entry')).toBeVisible()
  expect(await named()).toBe('[]')
  expect(await must(club.database.from('entry_mails').select('state'))).toEqual([])
  expect(await must(club.database.from('reminders').select('audience'))).toEqual([])
  await button('Add Season').first().click()
  await season.getByLabel('Season name').fill('2100')
  await season.getByLabel('Date of the event').fill(date(60))
  await season.getByRole('button', { name: 'Add Season' }).click()
  await expect(said(page, 'Season added successfully')).toBeVisible()
  expect((await enter(`${artist.entrant_name} of the next season`)).error).toBeNull()
  await page.context().close()
})
