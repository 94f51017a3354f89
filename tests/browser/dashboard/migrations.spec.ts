/**
 * If a project has migrations, a schema change in the dashboard becomes a migration. The server does not apply this migration again when it starts.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test as base, type Page } from '@playwright/test'
import { Operator, firstOperator } from '../../support/dashboard.mjs'
import { start, startProject } from '../../support/program.mjs'
import { violations } from '../support/axe.ts'
import { fromBuilt } from '../support/built.ts'
import { expect } from '../support/operator.ts'
import { lane } from '../support/lane.ts'

interface Place {
  server: Awaited<ReturnType<typeof startProject>>
  owner: Operator
}

const first = 'create table public.boats (id bigint primary key, name text); alter table public.boats enable row level security;'

const test = base.extend<{ page: Page }, { place: Place }>({
  place: [
    async ({}, use) => {
      const server = await startProject({ from: null, files: { 'migrations/20260101000000_boats.sql': first } })
      await use({ server, owner: await firstOperator(server) })
      await server.remove()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  page: async ({ page, place: { server, owner } }, use) => {
    await fromBuilt(page.context())
    const [name, value] = owner.cookie.split('=')
    await page.context().addCookies([{ name: name ?? '', value: value ?? '', url: `${server.url}/_` }])
    await use(page)
  },
})

const files = ({ server }: Place) => readdirSync(join(server.project, 'migrations')).sort()

const rows = async ({ owner }: Place, sql: string): Promise<(string | null)[][]> => {
  const answer = await owner.must('POST', '/sql/run', { sql, read_only: true })
  if (answer.error) throw new Error(JSON.stringify(answer.error))
  return answer.results.at(-1)?.rows ?? []
}

const recorded = async (place: Place, name: string) =>
  (await rows(place, `select version from supabase_migrations.schema_migrations where name = '${name}'`)).flat()

async function type(page: Page, text: string) {
  const editor = page.getByRole('textbox', { name: 'SQL' })
  // The editor's list of completions may cover the button.
  await editor.focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
}

test('a table made by clicking is a migration file and an entry of the history, and the next start keeps both', async ({ page, place }) => {
  await page.goto(`${place.server.url}/_/tables?new=table`)
  await page.getByLabel('Name', { exact: true }).fill('piers')
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('Keep as a migration file')).toBeChecked()
  await expect(dialog.getByLabel('Name of the migration')).toHaveValue('create_piers')
  expect(await violations(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Make the table' }).click()
  await expect(page.getByText(/^Table piers is there, and kept as migrations\/\d{14}_create_piers\.sql$/)).toBeVisible()
  const file = files(place).find((one) => one.endsWith('_create_piers.sql')) ?? ''
  expect(readFileSync(join(place.server.project, 'migrations', file), 'utf8')).toMatch(/^create table public\.piers/)
  expect(await recorded(place, 'create_piers')).toEqual([file.split('_')[0]])

  await place.server.stop()
  Object.assign(place.server, await start(place.server))
  expect(await recorded(place, 'create_piers')).toHaveLength(1)
  expect(await rows(place, 'select count(*) from public.piers')).toEqual([['0']])
})

test('a policy is a migration too; without the tick it is only created', async ({ page, place }) => {
  await page.goto(`${place.server.url}/_/policies?find=boats&edit=boats`)
  await page.getByLabel('Begin with').selectOption('Everybody may read')
  await page.getByLabel('Name of the migration').fill('open_boats')
  await page.getByRole('button', { name: 'Add the policy' }).click()
  await expect(page.getByText(/and kept as migrations\/\d{14}_open_boats\.sql$/)).toBeVisible()
  const before = files(place)
  await page.getByRole('button', { name: 'Remove Everybody may read' }).click()
  const review = page.getByRole('dialog', { name: /^Remove the policy/ })
  await review.getByLabel('Keep as a migration file').uncheck()
  await expect(review.getByLabel('Name of the migration')).toBeHidden()
  await review.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByText('The policy is gone', { exact: true })).toBeVisible()
  expect(files(place)).toEqual(before)
})

test('a script that changes the schema is reviewed as a migration; other scripts run at once', async ({ page, place }) => {
  await page.goto(`${place.server.url}/_/sql`)
  const run = page.getByRole('button', { name: 'Run', exact: true })
  const become = page.getByLabel('Schema changes become migrations')
  await expect(become).toBeHidden()
  await page.getByLabel('Allow writing').check()
  await expect(become).toBeChecked()
  await type(page, "insert into public.boats values (1, 'create table x')")
  await run.click()
  await expect(page.getByText('What was written is kept.')).toBeVisible()
  await type(page, '-- hulls\nalter table public.boats add column hull text')
  await run.click()
  const review = page.getByRole('dialog', { name: 'Run as a migration' })
  await expect(review.getByLabel('Name of the migration')).toHaveValue('alter_boats')
  await review.getByRole('button', { name: 'Run and keep' }).click()
  await expect(page.getByText(/kept as migrations\/\d{14}_alter_boats\.sql$/)).toBeVisible()
  await expect(review).toBeHidden()
  const before = files(place)
  await become.uncheck()
  await type(page, 'alter table public.boats drop column hull')
  await run.click()
  await expect(page.getByText('What was written is kept.')).toBeVisible()
  expect(files(place)).toEqual(before)
})

test('a refused migration shows PostgreSQL’s complete error, and leaves no file', async ({ page, place }) => {
  const before = files(place)
  await page.goto(`${place.server.url}/_/sql`)
  await type(page, 'create view public.wrong as select nam from public.boats')
  await page.getByRole('button', { name: 'As migration' }).click()
  const review = page.getByRole('dialog')
  await review.getByRole('button', { name: 'Run and keep' }).click()
  await expect(review.getByRole('alert')).toContainText('Perhaps you meant to reference the column "boats.name"')
  expect(files(place)).toEqual(before)
})

for (const [width, colorScheme] of [
  [1440, 'light'],
  [900, 'dark'],
  [390, 'dark'],
] as const)
  test(`if the folder cannot be written, it is named and the file’s text is shown, at ${width}, ${colorScheme}`, lane(width === 1440), async ({ page, place }, info) => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.route('**/_/api/sql/migrations', async (route) => {
      if (route.request().method() !== 'GET') return route.continue()
      const response = await route.fetch()
      return route.fulfill({ json: { ...(await response.json()), writable: false } })
    })
    await page.goto(`${place.server.url}/_/tables?new=table`)
    await page.getByLabel('Name', { exact: true }).fill(`slips${width}`)
    const dialog = page.getByRole('dialog').last()
    await expect(dialog.getByText('The server cannot write into the project’s folder')).toBeVisible()
    const record = dialog.getByLabel('Record it as an applied migration')
    await expect(record).not.toBeChecked()
    await record.check()
    await page.screenshot({ path: info.outputPath(`read-only-${width}-${colorScheme}.png`) })
    expect(await violations(page)).toEqual([])
    const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/sql/migrations'))
    await dialog.getByRole('button', { name: 'Make the table' }).click()
    expect((await asked).postDataJSON()).toMatchObject({ name: `create_slips${width}`, keep_file: false })
    const file = page.getByRole('dialog', { name: 'Add this file to your repository' })
    await expect(file.getByRole('region', { name: 'path of the file' })).toHaveText(new RegExp(`^migrations/\\d{14}_create_slips${width}\\.sql$`))
    await expect(file.getByRole('region', { name: 'text of the file' })).toContainText(`create table public.slips${width}`)
    await page.screenshot({ path: info.outputPath(`recorded-${width}-${colorScheme}.png`) })
    expect(await violations(page)).toEqual([])
    expect(files(place).filter((one) => one.includes('slips'))).toEqual([])
    expect(await recorded(place, `create_slips${width}`)).toHaveLength(1)
    await file.getByRole('button', { name: 'Done' }).click()
    await expect(file).toBeHidden()
  })
