/** Tasks of the pages Home, Logs and Operators. */
import { button, expect, go, task, write } from '../../support/tasks.ts'

task('create and revoke an API key', async ({ page, dashboard, endPart }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const name = `task ${Date.now()}`
  await button(page, 'New API key').click()
  await write(page.getByLabel('Name (optional)'), name)
  await page.getByRole('radio', { name: /^secret/ }).click()
  await button(page, 'Create').click()
  await button(page, 'Copy Key').click()
  await expect(button(page, 'Copied')).toBeVisible()
  const apikey = await page.evaluate(() => navigator.clipboard.readText())
  const status = async () => (await fetch(`${dashboard.url}/auth/v1/admin/users`, { headers: { apikey } })).status
  expect(await status()).toBe(200)
  await button(page, 'Done').click()
  await endPart()
  await button(page, `Revoke ${name}`).click()
  await button(page.getByRole('dialog'), 'Revoke').click()
  await expect.poll(status).toBe(403)
})

task('search the logs', async ({ page, dashboard }) => {
  const answer = await fetch(`${dashboard.url}/rest/v1/no_such_table`, { headers: { apikey: dashboard.anonKey } })
  await go(page, 'Logs')
  await write(page.getByLabel('Request'), answer.headers.get('x-request-id') ?? 'no id')
  const lines = page.getByRole('table', { name: 'Lines of the log' }).getByRole('row').filter({ has: page.getByRole('button') })
  await expect(lines).toHaveCount(1)
  await expect(lines).toContainText('404')
})

task('invite a person, with a role', async ({ page, dashboard, sql }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const email = `task-${Date.now()}@example.com`
  await go(page, 'Operators')
  await button(page, 'Invite an operator').click()
  await write(page.getByLabel('E-mail'), email)
  await page.getByLabel('Role').selectOption('viewer')
  await button(page, 'Make a link').click()
  await button(page, 'Copy Link').click()
  await expect(button(page, 'Copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`${dashboard.url}/_/welcome#token=`)
  expect(await sql(`select role from cloch.operators where email = '${email}'`)).toEqual([['viewer']])
})
