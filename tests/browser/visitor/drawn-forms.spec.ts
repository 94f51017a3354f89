/**
 * The server sends the award forms, and the page on which judges enter their password, as complete HTML. They are there before any script runs, and
 * React hydrates them without changes.
 */
import type { Browser, Page } from '@playwright/test'
import { choose, expect, expectSummary, file, taken, test, type Site } from '../support/site.ts'

/** Each form: its path, its heading, and some of its fields. */
const awards: [path: string, heading: string, fields: string[]][] = [
  ['/young-citizen?view=form', 'Young Citizen nomination', ['nominationType', 'nomineeName', 'parentEmail', 'achievement']],
  ['/young-musician?view=form', 'Young Musician entry', ['entrantName', 'performanceType', 'selection1', 'signature']],
  ['/young-photographer?view=form', 'Young Photographer entry', ['entrantName', 'cameraModel', 'publicityConsent', 'themeDescription']],
  ['/young-artist?view=form', 'Young Artist entry', ['entrantName', 'pronoun', 'nomineeEmail', 'parentGuardianEmail']],
]

async function withoutScript(browser: Browser, site: Site, path: string) {
  const context = await browser.newContext({ baseURL: site.url, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(path)
  return page
}

/** Delays the app's script. When the page is loaded, only boot.ts has run. @returns a function that lets the script load */
async function hold(page: Page): Promise<() => void> {
  let letGo: () => void = () => undefined
  const held = new Promise<void>((resolve) => (letGo = resolve))
  await page.route('**/assets/react-*.js', async (route) => {
    await held
    await route.continue()
  })
  return letGo
}

/** Collects the errors and warnings of the console, and the errors of the page. */
function complaints(page: Page): string[] {
  const problems: string[] = []
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  return problems
}

for (const [path, heading, fields] of awards) {
  test(`${path} contains the form before any script runs`, async ({ browser, site }) => {
    const page = await withoutScript(browser, site, path)
    await expect(page.getByRole('heading', { level: 1, name: heading, exact: true })).toBeVisible()
    const form = page.locator('form')
    for (const field of fields) await expect(form.locator(`[name=${field}]`).first()).toBeAttached()
    expect(await page.content()).not.toContain('{cloch:')
    // Without JavaScript the form cannot be sent. The page hides the form and shows how to write to the club.
    await expect(form).toBeHidden()
    await expect(page.locator('main noscript p')).toContainText('The form needs JavaScript')
    await page.context().close()
  })

  test(`${path} is hydrated without changes`, async ({ page }) => {
    const problems = complaints(page)
    await page.addInitScript(() => {
      document.addEventListener('DOMContentLoaded', () => {
        for (const part of document.querySelectorAll('h1, form, form [name]')) part.setAttribute('data-sent', '')
      })
    })
    await page.goto(path)
    await taken(page)
    await expect(page.getByRole('button', { name: /^Submit/ })).toHaveAttribute('type', 'submit')
    await expect(page.locator('h1[data-sent]')).toHaveText(heading)
    const controls = page.locator('form[data-sent] [name]')
    expect(await controls.count()).toBeGreaterThan(fields.length)
    await expect(page.locator('form [name]:not([data-sent])')).toHaveCount(0)
    expect(problems).toEqual([])
  })
}

test('answers that are typed and chosen before the app is loaded are kept, and are in the draft', async ({ page }) => {
  const problems = complaints(page)
  const letGo = await hold(page)
  await page.goto('/young-citizen?view=form')
  await expect(page.getByRole('radio', { name: 'Individual' })).toBeChecked()
  await page.getByLabel('Your name').pressSequentially('Morag Sample')
  await page.getByLabel('Key achievement').fill('Ran the beach clean.')
  await page.getByRole('radio', { name: 'Group' }).check()
  await page.getByLabel('Your e-mail').pressSequentially('morag@')
  letGo()
  await expect(page.getByLabel('Name of the group')).toBeVisible()
  // The hydration does not interrupt a user who is typing.
  await expect(page.getByLabel('Your e-mail')).toBeFocused()
  await page.keyboard.type('example.org')
  await expect(page.getByLabel('Your e-mail')).toHaveValue('morag@example.org')
  await expect(page.getByLabel('Your name')).toHaveValue('Morag Sample')
  await expect(page.getByLabel('Key achievement')).toHaveValue('Ran the beach clean.')
  await expect(page.getByRole('radio', { name: 'Group' })).toBeChecked()
  await expect(page.getByText('Draft kept on this device').filter({ visible: true })).toBeVisible()
  expect(problems).toEqual([])
  page.once('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByLabel('Your name')).toHaveValue('Morag Sample')
  await expect(page.getByRole('radio', { name: 'Group' })).toBeChecked()
  expect(problems).toEqual([])
})

test('files that are chosen before the app is loaded are uploaded when it is loaded', async ({ page }) => {
  const letGo = await hold(page)
  await page.goto('/young-artist?view=form')
  await choose(page, [file('early.png', 'image/png', 3000)])
  letGo()
  await expect(page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem')).toContainText('Uploaded')
})

test('a form that is submitted before the app is loaded puts no answer into the URL, and is submitted later', async ({ page }) => {
  const letGo = await hold(page)
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto('/young-artist?view=form')
  await page.getByLabel('Entrant’s full name').fill('Struan Sample')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Submit Entry' }).click()
  letGo()
  await expectSummary(page, [
    'Age must be between 5 and 17',
    'Please select preferred pronouns',
    'Please specify school/college/organisation or private entry',
    'Please select a category',
    'Nominee name is required',
    'Please enter a valid email address: Nominee’s e-mail',
    'Please provide at least a few sentences describing the relationship to the theme',
    'Parent/Guardian name is required',
    'Please enter a valid email address: Parent or guardian’s e-mail',
  ])
  await expect(page.getByLabel('Entrant’s full name')).toHaveValue('Struan Sample')
  expect(page.url()).toMatch(/\/young-artist\?view=form$/)
  expect(requests.filter((url) => /Struan/.test(url))).toEqual([])
})

test('the judges’ password page works before any script runs, and is hydrated with the typed password', async ({ browser, page, site }) => {
  const plain = await withoutScript(browser, site, '/judging')
  await expect(plain.getByRole('heading', { level: 1, name: 'Judging portal' })).toBeVisible()
  await expect(plain.getByLabel('Enter judging password')).toBeAttached()
  expect(await plain.content()).not.toContain('{cloch:')
  await plain.context().close()

  const problems = complaints(page)
  const letGo = await hold(page)
  await page.goto('/judging')
  await page.getByLabel('Enter judging password').pressSequentially('some of it')
  await expect(page.getByRole('button', { name: 'Access Judging' })).toBeDisabled()
  await page.keyboard.press('Enter')
  letGo()
  await expect(page.getByRole('button', { name: 'Access Judging' })).toBeEnabled()
  await expect(page.getByLabel('Enter judging password')).toHaveValue('some of it')
  await page.keyboard.type(' and the rest')
  await expect(page.getByLabel('Enter judging password')).toHaveValue('some of it and the rest')
  expect(page.url()).toMatch(/\/judging$/)
  expect(problems).toEqual([])
})

test('a form’s page has the same content security policy as every page', async ({ request }) => {
  const policy = async (path: string) => (await request.get(path)).headers()['content-security-policy']
  const expected = await policy('/admin')
  expect(expected).toContain("script-src 'self'")
  for (const path of [...awards.map(([award]) => award), '/judging']) expect(await policy(path), path).toBe(expected)
  const page = await (await request.get('/young-artist?view=form')).text()
  // The page contains data blocks and one module of the app. It contains no inline script, which would need an exception in the policy.
  const scripts = [...page.matchAll(/<script([^>]*)>/g)].map(([, attributes = '']) => attributes)
  expect(scripts.filter((attributes) => !/type="application\/(ld\+)?json"|type="module"[^>]* src="\/assets\//.test(attributes))).toEqual([])
})
