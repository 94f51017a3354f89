/** Tasks of the pages Users, Settings, Files and Functions. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { clientOf } from '../../support/club.ts'
import type { Dashboard } from '../../support/dashboard.ts'
import { button, expect, go, task, write, writeCode } from '../../support/tasks.ts'

const anon = ({ url, anonKey }: Dashboard) => clientOf(url, anonKey)

task('add, ban and delete a user', async ({ page, dashboard, endPart }) => {
  const email = `task-${Date.now()}@example.com`
  const signIn = async () => (await anon(dashboard).auth.signInWithPassword({ email, password: 'a long password' })).error?.code
  await go(page, 'Users')
  await button(page, 'Add a user').click()
  await write(page.getByLabel('E-mail'), email)
  await write(page.getByLabel('Password'), 'a long password')
  await button(page, 'Add').click()
  await expect.poll(signIn).toBeUndefined()
  await endPart()
  await button(page, email).click()
  await button(page, 'Ban').click()
  await button(page.getByRole('dialog').last(), 'Ban').click()
  await expect.poll(signIn).toBe('user_banned')
  await endPart()
  await button(page, 'Delete').click()
  await button(page.getByRole('dialog').last(), 'Delete').click()
  await expect.poll(signIn).toBe('invalid_credentials')
})

/** Reviews and saves the changes of settings. */
async function saveSettings(page: Page) {
  await button(page, 'Review and save').last().click()
  const review = page.getByRole('dialog', { name: 'Review the change' })
  await button(review, 'Save').click()
  await expect(review).toBeHidden()
}

const chooseGroup = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Groups of settings' }).getByRole('button', { name, exact: true }).click()

task('change a setting of sign-up, and undo it', async ({ page, dashboard, endPart }) => {
  const signUp = async () => (await anon(dashboard).auth.signInAnonymously()).error?.code
  expect(await signUp()).toBe('anonymous_provider_disabled')
  await go(page, 'Settings')
  await page.getByLabel('Users can sign in anonymously').click()
  await saveSettings(page)
  await expect.poll(signUp).toBeUndefined()
  await endPart()
  await button(page, /^Default.* for Users can sign in anonymously/).click()
  await saveSettings(page)
  await expect.poll(signUp).toBe('anonymous_provider_disabled')
})

task('copy the callback URL for a sign-in provider', async ({ page, dashboard }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await go(page, 'Settings')
  await chooseGroup(page, 'Sign-in providers')
  await button(page, 'Copy Redirect URL').click()
  await expect(button(page, 'Copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`${dashboard.url}/auth/v1/callback`)
})

task('edit the text of a mail', async ({ page, dashboard }) => {
  await go(page, 'Settings')
  await chooseGroup(page, 'Mail templates')
  await page.getByText('email_change', { exact: true }).click()
  await button(page, 'Edit and preview').and(page.locator(':visible')).click()
  await write(page.getByRole('dialog').getByLabel('Text', { exact: true }), '<h1>Ahoy</h1>\n<p><a href="{{ .ConfirmationURL }}">Yes</a></p>\n')
  await saveSettings(page)
  expect(readFileSync(join(dashboard.project, 'templates/email_change.html'), 'utf8')).toContain('Ahoy')
})

task('create a bucket; upload, preview, move and delete a file', async ({ page, dashboard, endPart }) => {
  const bucket = `task-${Date.now()}`
  const files = clientOf(dashboard.url, dashboard.serviceKey).storage.from(bucket)
  const names = async (folder = '') => (await files.list(folder)).data?.map(({ name }) => name)
  await go(page, 'Files')
  await button(page, 'New bucket').click()
  await write(page.getByLabel('Name'), bucket)
  await button(page, 'Make it').click()
  await expect(page.getByText('This folder is empty.')).toBeVisible()
  await endPart()
  const chooser = page.waitForEvent('filechooser')
  await button(page, 'Upload').click()
  await (await chooser).setFiles({ name: 'dot.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') })
  await expect.poll(() => names()).toEqual(['dot.svg'])
  await endPart()
  await button(page, 'dot.svg').click()
  await expect(page.getByRole('dialog').getByText('image/svg+xml')).toBeVisible()
  await endPart()
  await write(page.getByLabel('New path'), 'kept/moved.svg')
  await button(page, 'Move').click()
  await expect.poll(() => names('kept')).toEqual(['moved.svg'])
  await endPart()
  await button(page, 'kept').click()
  await page.getByLabel('Choose moved.svg').click()
  await button(page, 'Remove (1)').click()
  await button(page.getByRole('dialog'), 'Remove').click()
  await expect.poll(() => names('kept')).toEqual([])
})

task('restore an earlier version of a file', async ({ page, dashboard }) => {
  const kept = clientOf(dashboard.url, dashboard.serviceKey).storage.from('kept')
  const name = `plan-${Date.now()}.txt`
  for (const text of ['first', 'second']) await kept.upload(name, new Blob([text], { type: 'text/plain' }), { upsert: true })
  await go(page, 'Files')
  await button(page, 'kept').click()
  await button(page, name).click()
  await button(page.getByRole('table', { name: `Versions of ${name}` }), 'Restore').click()
  await expect.poll(async () => (await kept.download(name)).data?.text()).toBe('first')
})

/** Calls a function of the project as a client does. */
const call = async ({ url, anonKey }: Dashboard, name: string) =>
  (await fetch(`${url}/functions/v1/${name}`, { method: 'POST', headers: { authorization: `Bearer ${anonKey}` }, body: '{"name":"Clyde"}' })).text()

/** Writes a function into the project's folder. The server finds it without a restart. */
async function withFunction(dashboard: Dashboard, name: string) {
  mkdirSync(join(dashboard.project, 'functions', name), { recursive: true })
  writeFileSync(join(dashboard.project, 'functions', name, 'index.ts'), `Deno.serve(() => { console.log('the lamp is lit'); return new Response('lit') })\n`)
  await expect.poll(() => call(dashboard, name)).toBe('lit')
}

task('create a function', async ({ page, dashboard }) => {
  const name = `new-${Date.now()}`
  await go(page, 'Functions')
  await button(page, 'New function').click()
  await write(page.getByLabel('Name').last(), name)
  await button(page, 'Deploy').click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect.poll(() => call(dashboard, name)).toBe('{"message":"Hello Clyde!"}')
})

task('edit and deploy a function', async ({ page, dashboard }) => {
  await go(page, 'Functions')
  await page.getByRole('link', { name: 'lamp', exact: true }).click()
  await writeCode(page, 'functions/lamp/index.ts', `Deno.serve(() => new Response('dark'))\n`)
  await button(page, 'Review and deploy (1)').click()
  await button(page.getByRole('dialog'), 'Deploy').click()
  await expect.poll(() => call(dashboard, 'lamp')).toBe('dark')
}, (dashboard) => withFunction(dashboard, 'lamp'))

task('call a function and read its log', async ({ page, dashboard }) => {
  await go(page, 'Functions')
  await page.getByRole('link', { name: 'lantern', exact: true }).click()
  await page.getByRole('tab', { name: 'Call' }).click()
  await button(page, 'Call').click()
  await expect(page.getByRole('region', { name: /^Body/ })).toHaveText('lit')
  await expect(page.getByRole('table', { name: 'Log of the call' })).toContainText('the lamp is lit')
  const answer = await page.request.get(`${dashboard.url}/_/api/functions/lantern`)
  expect(((await answer.json()) as { figures: { calls: number } }).figures.calls).toBeGreaterThanOrEqual(2)
}, (dashboard) => withFunction(dashboard, 'lantern'))
