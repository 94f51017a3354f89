/** Checks the accessibility of the administrator's pages at the end of a season (late links, mails, the ceremony, the results), and of the
 * results on the public pages. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { totp } from '../../support/totp.mjs'
import { screens, violations } from '../support/axe.ts'
import { add, expect, must, signedIn, test, toast, unfold, type Club } from '../support/club.ts'
import { artist, nomination } from '../support/entries.ts'
import { lane } from '../support/lane.ts'
import { openPart, publish } from '../support/website.ts'

const root = resolve(import.meta.dirname, '../../..')
const photograph = readFileSync(
  join(root, 'supabase-config/demo/objects/youth-awards-submissions/photographer/angus-tulloch/1767225600000-angus-tulloch.jpg'),
)
const day = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000).toISOString().slice(0, 10)

/** Expects a page in this state to fit the screen and to have no violations. */
async function audit(page: Page, state: string) {
  expect.soft(await violations(page), state).toEqual([])
  expect.soft(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth), `${state}: wider than the screen`).toBeLessThanOrEqual(0)
}

/** Creates a closed season with one winner who agrees to publicity and has a picture, and two winners whose names must not be published. */
async function scene(club: Club) {
  const path = `artist/ann/${Date.now()}-ann.jpg`
  await must(club.database.storage.from('youth-awards-submissions').upload(path, photograph, { contentType: 'image/jpeg' }))
  const entry = { ...artist, category: 'Senior', age: 15 }
  await add(club, 'young_artist_entries', [
    { ...entry, entrant_name: 'Ann Alder', artwork_title: 'Tide', senior_ranking: 1, publicity_consent: 'agree', uploaded_files: [path] },
    { ...entry, entrant_name: 'Bob Birch', artwork_title: 'Wind', senior_ranking: 2, publicity_consent: 'disagree', uploaded_files: [] },
    // The fonts of the certificates have no Cyrillic letters.
    { ...entry, entrant_name: 'Иван', artwork_title: '', senior_ranking: 3, publicity_consent: 'disagree', uploaded_files: [] },
  ])
  const [nominee] = await add(club, 'young_citizen_nominations', [nomination])
  await must(club.database.from('entry_mails').insert({ award: 'citizen', entry: nominee?.id, state: 'winner' }).select())
  await add(club, 'seasons', { name: '2099', deadline_on: day(-1), event_on: day(20) })
}

for (const { name, colorScheme, width } of screens) {
  test.describe(name, lane(colorScheme === 'light'), () => {
    test(`the back-office at the end of a season`, async ({ office, club }) => {
      test.slow()
      await scene(club)
      await office.setViewportSize({ width, height: 900 })
      await office.emulateMedia({ colorScheme })

      await office.goto('/admin?tab=summary')
      const ceremony = office.getByRole('region', { name: 'Ceremony' })
      await expect(ceremony).toContainText('Not named in the programme, because no consent is recorded: Niamh Docherty, Bob Birch, Иван.')
      const file = office.waitForEvent('download')
      await ceremony.getByRole('button', { name: 'Download certificates' }).click()
      await file
      await expect(ceremony.getByRole('status').filter({ hasText: 'Left out of the certificates' })).toContainText('Иван')
      await audit(office, 'the ceremony, with a name that is left out')

      await office.getByRole('button', { name: 'Make Late Link' }).click()
      const late = office.getByRole('dialog', { name: 'Make a late link' })
      await late.getByLabel('For whom').fill('Struan, who was ill')
      await audit(office, 'the dialog for a late link')
      await late.getByRole('button', { name: 'Make Late Link' }).click()
      const shown = office.getByRole('dialog', { name: 'The late link for Struan, who was ill' })
      await expect(shown.getByLabel('Late link')).toHaveValue(/#late=/)
      await audit(office, 'a late link that is shown once')
      await shown.getByRole('button', { name: 'Done' }).click()
      await office.getByRole('button', { name: 'Withdraw the late link of Struan, who was ill' }).click()
      await expect(toast(office, 'The late link opens nothing any more')).toBeVisible()
      await audit(office, 'the list of late links')

      await office.goto('/admin?tab=artist')
      await expect(office.getByText('Ann Alder').first()).toBeVisible()
      await unfold(office)
      await office.getByRole('button', { name: 'Send Mails' }).click()
      const mails = office.getByRole('dialog', { name: 'Mails: Young Artist' })
      await mails.getByLabel('Mail', { exact: true }).selectOption('winner')
      await mails.getByRole('checkbox', { name: /^Ann Alder, 1st place/ }).check()
      await expect(mails.getByRole('region', { name: 'Preview for Ann Alder' })).toContainText('1st place')
      await audit(office, 'mails, with a preview')
      await mails.getByRole('button', { name: 'Edit the text' }).click()
      const form = office.getByRole('dialog', { name: 'Edit mail: Winner' })
      await form.getByLabel('Subject').fill('')
      await form.getByRole('button', { name: 'Save Template' }).click()
      await expect(form).toContainText('Subject is missing')
      await audit(office, 'the text of a mail, refused')
    })

    test(`results and pictures, in the back-office and for visitors`, async ({ office, club, browser }) => {
      test.slow()
      await scene(club)
      await office.setViewportSize({ width, height: 900 })
      await office.emulateMedia({ colorScheme })
      await openPart(office, 'results')
      await expect(office.getByText('Nothing here yet')).toBeVisible()
      await audit(office, 'no results')
      await office.getByRole('button', { name: /^Add the results of/ }).click()
      await expect(toast(office, '1 entry was added')).toBeVisible()
      await office.getByRole('button', { name: /^Add all pictures of/ }).click()
      await expect(office.getByRole('tabpanel').last().getByText('Ann Alder').first()).toBeVisible()
      await audit(office, 'the results')

      const picture = `events/${Date.now()}-cup.jpg`
      await must(club.database.storage.from('site-pictures').upload(picture, photograph, { contentType: 'image/jpeg' }))
      await must(club.database.from('site_events').update({ last_day: '2099-11-13', picture, picture_alt: 'A cup' }).eq('slug', 'youth-awards').select())
      await office.reload()
      await publish(office)

      const context = await browser.newContext({ baseURL: club.url, colorScheme, viewport: { width, height: 900 } })
      const page = await context.newPage()
      await expect(async () => {
        await page.goto('/results')
        await expect(page.getByRole('heading', { name: 'Ann Alder' })).toBeVisible({ timeout: 1000 })
      }).toPass()
      await expect(page.getByRole('img', { name: 'Tide, by Ann Alder' })).toHaveAttribute('src', /^blob:/)
      await audit(page, '/results with rows and pictures')
      await page.goto('/events')
      await expect(page.getByRole('img', { name: 'A cup' }).first()).toHaveAttribute('src', /^blob:/)
      await audit(page, '/events with a picture')
      await page.getByRole('button', { name: /View details ?: Youth Awards/ }).click()
      await expect(page.getByRole('dialog', { name: 'Youth Awards' }).getByRole('img', { name: 'A cup' })).toHaveAttribute('src', /^blob:/)
      await audit(page, 'an event dialog with a picture')
      await context.close()
      await must(
        club.database.from('site_events').update({ last_day: '2025-11-13', picture: null, picture_alt: null }).eq('slug', 'youth-awards').select(),
      )
    })

    test(`recovery codes`, async ({ browser, club }) => {
      const user = { email: `codes-${colorScheme}@club.example.org`, password: 'a quiet harbour 27' }
      const { data, error } = await club.database.auth.admin.createUser({ ...user, email_confirm: true })
      if (error) throw error
      await must(club.database.from('user_roles').insert({ user_id: data.user.id, role: 'admin' }).select())
      const page = await signedIn(browser, club, user)
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.goto('/admin?tab=people')
      await page.getByRole('button', { name: 'Set up the code' }).click()
      const dialog = page.getByRole('dialog')
      await expect(dialog.getByRole('img', { name: 'The QR code for your app' })).toBeVisible()
      const secret = (await dialog.locator('code').innerText()).replaceAll(' ', '')
      await audit(page, 'the code for an app')
      await dialog.getByLabel('Code that the app shows').fill(totp(secret))
      await dialog.getByRole('button', { name: 'Switch it on' }).click()
      await expect(page.getByRole('dialog', { name: 'Your recovery codes' }).getByRole('listitem')).toHaveCount(10)
      await audit(page, 'the recovery codes')
      await page.getByRole('button', { name: 'I have them' }).click()
      await expect(page.getByText('10 of your recovery codes are left')).toBeVisible()
      await audit(page, 'a second step that is set up')
      await page.context().close()
      const { error: left } = await club.database.auth.admin.deleteUser(data.user.id)
      if (left) throw left
    })
  })
}
