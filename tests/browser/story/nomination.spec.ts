/**
 * The club's main task with realistic input. A visitor nominates a young citizen with a PDF and a JPEG. An invited admin follows the link in the
 * mail, chooses a password, signs in, reads the nomination and opens both files.
 */
import { devices, type Page } from '@playwright/test'

import { authLink } from '../../support/inbox.mjs'
import { violations } from '../support/axe.ts'
import { answer, choose, expect, expectToast, file, mailTo, rows, stored, test } from '../support/site.ts'
import { lane } from '../support/lane.ts'

const bucket = 'youth-awards-submissions'
const administrator = 'admin@example.org'

const answers = {
  'Nominee’s full name': 'Eilidh O’Neil',
  Age: '15',
  'Parent or guardian’s e-mail': 'parent@example.org',
  'Your name': 'Morag Sample',
  'Your e-mail': 'morag@example.org',
  'Key achievement': 'Started the beach clean at Lunderston Bay',
  'Why the nominee deserves the award': 'Every Saturday, in every weather.\nShe brings the others along.',
}

const screens = {
  desktop: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: devices['Pixel 7'].viewport, hasTouch: true, isMobile: true },
}

/** Checks that nothing is cut off, that nothing is wider than the screen, and that axe reports no violation. */
async function sound(page: Page, what: string) {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  expect(overflow, `${what} is wider than the screen`).toBeLessThanOrEqual(0)
  expect(await violations(page), `axe on ${what}`).toEqual([])
}

for (const [screen, options] of Object.entries(screens)) {
  test.describe(screen, lane(screen === 'phone'), () => {
    test.use(options)

    test('from a nomination to the admin who opens its files', async ({ page, site, browser }, info) => {
      test.slow()
      // The story runs twice on the same server. In the second run, the administrator is invited again and may not choose the old password.
      const password = `a lighthouse on the Clyde, by ${screen}`
      const picture = (name: string) => page.screenshot({ path: info.outputPath(`${name}-${screen}.png`), fullPage: true })

      await page.goto('/')
      await sound(page, 'home')
      await picture('home')
      await page.goto('/young-citizen')
      await sound(page, 'the award page')
      await page.getByRole('button', { name: 'Submit a Nomination' }).first().click()
      await answer(page, answers)
      const letter = file('letter.pdf', 'application/pdf', 120_000)
      const photo = file('photo.jpg', 'image/jpeg', 240_000)
      await choose(page, [letter, photo])
      await expectToast(page, 'Upload successful', '2 file(s) uploaded successfully.')
      await sound(page, 'the form')
      await picture('form')
      await page.getByRole('button', { name: 'Submit Nomination' }).click()
      await expectToast(page, 'Nomination Submitted!', 'Thank you for your nomination. We\'ll review it carefully.')

      const [record, ...others] = await rows(site, 'young_citizen_nominations')
      expect(others).toEqual([])
      expect(record?.nominee_name).toBe(answers['Nominee’s full name'])
      const paths = record?.uploaded_files as string[]
      expect(paths).toHaveLength(2)
      const kept = await Promise.all(paths.map((path) => stored(site, bucket, path)))
      for (const sent of [letter, photo]) expect(kept.some((bytes) => bytes.equals(sent.buffer))).toBe(true)
      await mailTo(site, 'awards@example.org', /Young Citizen Award Nomination - Eilidh/)

      await page.goto('/setup-admin')
      await expect(page.getByRole('button', { name: 'Send Admin Invitation' })).toBeVisible()
      await sound(page, 'the invitation')
      await page.getByRole('button', { name: 'Send Admin Invitation' }).click()
      await expectToast(page, 'Success!', 'The invitation email was sent.')
      const link = authLink(await mailTo(site, administrator, /./))
      const desk = await browser.newContext({ ...options, baseURL: site.url, acceptDownloads: true })
      const office = await desk.newPage()
      await office.goto(link)
      await expect(office.getByRole('heading', { name: 'Set Your Password' })).toBeVisible()
      await sound(office, 'the password')
      await office.getByLabel('New password').fill(password)
      await office.getByLabel('Confirm password').fill(password)
      await office.getByRole('button', { name: 'Set password' }).click()
      await office.waitForURL(/\/admin/)
      await office.getByRole('button', { name: /Logout/ }).click()
      await office.waitForURL(/\/auth/)
      await office.getByLabel('Email').fill(administrator)
      await office.getByLabel('Password').fill(password)
      await sound(office, 'sign-in')
      await office.getByRole('button', { name: 'Sign in' }).click()
      await office.waitForURL(/\/admin/)
      await office.getByRole('tab', { name: /Citizen/ }).click()
      await expect(office.getByText(answers['Nominee’s full name']).first()).toBeVisible()
      await sound(office, 'the citizen tab')
      await office.screenshot({ path: info.outputPath(`admin-${screen}.png`), fullPage: true })
      await office.getByRole('button', { name: /View Details/ }).first().click()
      const dialog = office.getByRole('dialog')
      await expect(dialog.getByText(answers['Key achievement'])).toBeVisible()
      await sound(office, 'the nomination')
      await office.screenshot({ path: info.outputPath(`nomination-${screen}.png`) })
      for (const number of [1, 2]) {
        const download = office.waitForEvent('download')
        await dialog.getByRole('button', { name: `Download File ${number}` }).click()
        expect(await (await download).failure()).toBeNull()
      }
      await desk.close()
    })
  })
}
