/** The page of a function: the operator calls the function as a chosen caller, reads its source, and deploys a new version. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { type Dashboard, expect, open, settled, signedInViewer, test } from '../support/dashboard.ts'

/** Opens the form to call the function `probe`. This function returns the request that it has received. */
async function openCall(page: Page, dashboard: Dashboard) {
  await open(page, dashboard, '/functions/probe', 'probe')
  await page.getByRole('tab', { name: 'Call' }).click()
}

const call = (page: Page) => page.getByRole('button', { name: 'Call', exact: true }).click()
const answer = (page: Page) => page.getByRole('region', { name: /^Body/ })

test('a function is called with path, query, header and body, and its lines are beside the response', async ({ owner, dashboard }) => {
  await openCall(owner, dashboard)
  await owner.getByLabel('Method').selectOption('PUT')
  await owner.getByLabel('Path below probe').fill('/boats/1')
  await owner.getByRole('button', { name: 'Add a parameter' }).click()
  await owner.getByLabel('Name of parameter 1').fill('colour')
  await owner.getByLabel('Value of parameter 1').fill('red & white')
  await owner.getByRole('button', { name: 'Add a header' }).click()
  await owner.getByLabel('Name of header 1').fill('X-Boat')
  await owner.getByLabel('Value of header 1').fill('Waverley')
  await owner.getByLabel('Body', { exact: true }).fill('{"sails":')
  await call(owner)
  await expect(owner.getByText('This is no JSON')).toBeVisible()
  await owner.getByLabel('Body', { exact: true }).fill('{"sails":2}')
  await call(owner)
  await expect(owner.getByText('200 OK')).toBeVisible()
  expect(JSON.parse((await answer(owner).textContent()) ?? '')).toEqual({
    method: 'PUT',
    below: '/boats/1',
    query: '?colour=red+%26+white',
    header: 'Waverley',
    body: '{"sails":2}',
    role: 'anon',
  })
  await expect(owner.getByRole('table', { name: 'Log of the call' }).getByText('called at /boats/1')).toBeVisible()
  await owner.getByText(/^Headers \(/).click()
  await expect(owner.getByText('application/json')).toBeVisible()
  expect(await violations(owner)).toEqual([])
  await owner.getByRole('link', { name: 'All functions' }).click()
  const row = owner.getByRole('row', { name: /probe/ })
  await expect(row.getByText('ready')).toBeVisible()
  // p50 and p99.
  await expect(row.getByText(/^\d[\d,.]* m?s$/)).toHaveCount(2)
})

test('a call is made as a user, and the browser gets no token', async ({ owner, dashboard }) => {
  await openCall(owner, dashboard)
  await owner.getByLabel('As', { exact: true }).selectOption('user')
  await call(owner)
  await expect(owner.getByText('Choose a user.')).toBeVisible()
  await owner.getByLabel('Find a user').fill('ada@')
  await owner.getByLabel('User', { exact: true }).selectOption({ label: 'ada@example.com' })
  const sent = owner.waitForResponse((response) => response.url().endsWith('/functions/probe/call'))
  await call(owner)
  await expect(answer(owner).getByText('"email": "ada@example.com"')).toBeVisible()
  await expect(answer(owner).getByText('"role": "authenticated"')).toBeVisible()
  // Tokens begin with "eyJ", the base64 form of `{"`. The body that the function returns is also base64 of JSON, so it begins with the same letters.
  // The test decodes it before it searches for tokens.
  const { body, ...others } = (await (await sent).json()) as { body: string }
  expect(atob(body) + JSON.stringify(others)).not.toContain('eyJ')
  await owner.getByLabel('As', { exact: true }).selectOption('service_role')
  await call(owner)
  await expect(answer(owner).getByText('"role": "service_role"')).toBeVisible()
  expect(await owner.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain('eyJ')
})

test('headers of the server are refused, and a failure of the function is shown with its log', async ({ owner, dashboard }) => {
  await openCall(owner, dashboard)
  await owner.getByRole('button', { name: 'Add a header' }).click()
  await owner.getByLabel('Name of header 1').fill('Authorization')
  await call(owner)
  await expect(owner.getByText('The header authorization is set by the server')).toBeVisible()
  await owner.getByRole('button', { name: 'Remove header 1' }).click()
  await expect(owner.getByRole('button', { name: 'Add a header' })).toBeFocused()
  await owner.getByLabel('Path below probe').fill('/fails')
  await call(owner)
  await expect(owner.getByText(/^500/)).toBeVisible()
  await expect(owner.getByRole('table', { name: 'Log of the call' }).getByText('the pier is closed')).toBeVisible()
})

test('an endless stream is truncated, and bytes are offered as a file', async ({ owner, dashboard }) => {
  await openCall(owner, dashboard)
  await owner.getByLabel('Path below probe').fill('/endless')
  await owner.getByLabel('Seconds to read the response').fill('1')
  await call(owner)
  await expect(owner.getByText('The response had not ended after 1 second')).toBeVisible()
  await expect(answer(owner)).toHaveText('tick')
  await owner.getByLabel('Path below probe').fill('/bytes')
  await call(owner)
  await expect(owner.getByText('The body is no text: 3 B.')).toBeVisible()
  const download = owner.waitForEvent('download')
  await owner.getByRole('button', { name: 'Download the body' }).click()
  expect((await download).suggestedFilename()).toBe('probe.png')
})

test('a viewer reads the source, and sees why other actions are not allowed', async ({ owner, browser, dashboard }) => {
  const viewer = await signedInViewer(owner, browser, dashboard)
  await open(viewer, dashboard, '/functions/hello', 'hello')
  await expect(viewer.getByText('Your role reads the source.')).toBeVisible()
  await expect(viewer.getByRole('textbox', { name: 'functions/hello/index.ts' })).toHaveAttribute('aria-readonly', 'true')
  await expect(viewer.getByRole('button', { name: /Review and deploy/ })).toBeHidden()
  await viewer.getByRole('tab', { name: 'Call' }).click()
  await expect(viewer.getByText('Your role does not allow calls.')).toBeVisible()
  await viewer.context().close()
})

for (const width of [390, 1280])
  test(`the page of a function fits a window of ${width} pixels`, async ({ owner, dashboard }) => {
    await owner.setViewportSize({ width, height: 900 })
    await openCall(owner, dashboard)
    await settled(owner)
    for (const tab of ['Call', 'Source']) {
      await owner.getByRole('tab', { name: tab }).click()
      const wide = await owner.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
      expect(wide, tab).toBe(false)
      expect(await violations(owner), tab).toEqual([])
    }
  })

test('a file is changed, reviewed and deployed; a wrong import is marked; a newer version is not overwritten', async ({
  owner,
  dashboard,
}) => {
  await open(owner, dashboard, '/functions/probe', 'probe')
  const file = 'functions/probe/index.ts'
  const editor = owner.getByRole('textbox', { name: file })
  const write = async (text: string) => {
    await editor.click()
    await owner.keyboard.press('Control+a')
    await owner.keyboard.insertText(text)
  }
  const deploy = async () => {
    await owner.getByRole('button', { name: 'Review and deploy (1)' }).click()
    await owner.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click()
  }
  await write(`import { none } from './none.ts'\nDeno.serve(() => new Response(none))\n`)
  await deploy()
  await expect(owner.getByRole('alert').getByText(`${file}:1:`)).toBeVisible()
  await expect(owner.locator('.cm-errorLine')).toHaveCount(1)
  await write(`Deno.serve(() => new Response('second'))\n`)
  await owner.getByRole('button', { name: 'Review and deploy (1)' }).click()
  await expect(owner.getByRole('region', { name: `Change of ${file}` })).toContainText(`+Deno.serve(() => new Response('second'))`)
  await expect(owner.getByText('cloch functions deploy probe')).toBeVisible()
  await owner.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click()
  // No change is left to deploy.
  await expect(owner.getByRole('button', { name: 'Review and deploy' })).toBeDisabled()
  await owner.getByRole('tab', { name: 'Call' }).click()
  await call(owner)
  await expect(answer(owner)).toHaveText('second')

  // Another page deploys a version while this page has unsaved changes.
  await owner.getByRole('tab', { name: 'Source' }).click()
  await write(`Deno.serve(() => new Response('third'))\n`)
  const other = await owner.context().newPage()
  await open(other, dashboard, '/functions/probe', 'probe')
  const session = await other.evaluate(async () => (await (await fetch('/_/api/session')).json()) as { csrf: string })
  const status = await other.evaluate(async ({ csrf, file }) => {
    const source = (await (await fetch('/_/api/functions/probe/source')).json()) as { revision: string }
    const files = { [file]: `Deno.serve(() => new Response('of another'))` }
    const headers = { 'content-type': 'application/json', 'x-cloch-csrf': csrf }
    const body = JSON.stringify({ revision: source.revision, files })
    return (await fetch('/_/api/functions/probe/source', { method: 'PUT', headers, body })).status
  }, { csrf: session.csrf, file })
  expect(status).toBe(200)
  await other.close()
  await deploy()
  await expect(owner.getByText('The function was changed since you opened its files: nothing was deployed')).toBeVisible()
  await owner.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await expect(editor).toContainText('third')
  await owner.getByRole('button', { name: 'Continue on the newer files' }).click()
  await owner.getByRole('button', { name: 'Review and deploy (1)' }).click()
  await expect(owner.getByRole('region', { name: `Change of ${file}` })).toContainText('of another')
  await owner.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click()
  // No change is left to deploy.
  await expect(owner.getByRole('button', { name: 'Review and deploy' })).toBeDisabled()
})

test('a function is created in the browser, called and changed', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/functions', 'Functions')
  await owner.getByRole('button', { name: 'New function' }).click()
  const form = owner.getByRole('dialog', { name: 'New function' })
  await form.getByLabel('Name').fill('hello')
  expect(await violations(owner)).toEqual([])
  await form.getByRole('button', { name: 'Deploy' }).click()
  await expect(form.getByRole('alert')).toContainText('There is a function hello already')
  const name = `greet-${Date.now()}`
  await form.getByLabel('Name').fill(name)
  await form.getByLabel('A call requires sign-in or a key').uncheck()
  await form.getByRole('button', { name: 'Deploy' }).click()
  await expect(owner.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(owner.getByText('deployed, version 1')).toBeVisible()
  const answer = await owner.request.post(`${dashboard.url}/functions/v1/${name}`, { data: { name: 'Clyde' } })
  expect(await answer.json()).toEqual({ message: 'Hello Clyde!' })
  const editor = owner.getByRole('textbox', { name: `functions/${name}/index.ts` })
  await editor.click()
  await owner.keyboard.press('Control+a')
  await owner.keyboard.insertText(`Deno.serve(() => new Response('changed'))\n`)
  await owner.getByRole('button', { name: 'Review and deploy (1)' }).click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Deploy' }).click()
  await expect(owner.getByText('deployed, version 2')).toBeVisible()
  const answerNow = async () => (await owner.request.post(`${dashboard.url}/functions/v1/${name}`, { data: { name: 'Clyde' } })).text()
  await expect.poll(answerNow).toBe('changed')
  await owner.getByRole('tab', { name: 'Versions' }).click()
  await owner.getByRole('button', { name: 'Serve version 1' }).click()
  await expect(owner.getByText('Version 1 is served').last()).toBeVisible()
  await expect.poll(answerNow).toBe('{"message":"Hello Clyde!"}')
  await owner.getByRole('button', { name: 'Serve version 2' }).click()
  await expect(owner.getByText('Version 2 is served')).toBeVisible()
  await expect.poll(answerNow).toBe('changed')
})

test('a function that fails to boot is marked in the list', async ({ owner, dashboard }) => {
  const name = `broken-${Date.now()}`
  const folder = join(dashboard.project, 'functions', name)
  mkdirSync(folder)
  try {
    writeFileSync(join(folder, 'index.ts'), `throw new Error('the pier is closed')\n`)
    const headers = { authorization: `Bearer ${dashboard.anonKey}` }
    const call = async () => (await owner.request.post(`${dashboard.url}/functions/v1/${name}`, { headers })).status()
    // The server detects the new folder itself. Until then, the status is 404.
    await expect.poll(call, { timeout: 30_000 }).toBeGreaterThanOrEqual(500)
    await open(owner, dashboard, '/functions', 'Functions')
    await expect(owner.getByRole('row', { name: new RegExp(name) })).toContainText('failed to start')
    await expect(owner.getByRole('row', { name: /^hello/ })).toContainText('ready')
    await settled(owner)
    expect(await violations(owner)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
