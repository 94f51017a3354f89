/**
 * Rows, names, files, users, mails and the log contain content that tries to run scripts in an operator's browser. Other content is meant to break
 * the page: cells of 10 MB, 2,000 tables, a schema that changes while the page is open.
 */
import { test as base, expect, type Page } from '@playwright/test'
import { firstOperator } from '../../support/dashboard.mjs'
import { startProject } from '../../support/program.mjs'
import { clientOf } from '../support/club.ts'
import { HOSTILE, newContext, settled } from '../support/dashboard.ts'
import { sql } from '../support/operator.ts'

const quoted = HOSTILE.replaceAll("'", "''")
const named = HOSTILE.replaceAll('"', '""').slice(0, 60)
const letters = 10 * 1024 * 1024

const SCHEMA = `
create type public.moods as enum ('${quoted.slice(0, 60)}');
create table public."${named}" (id bigint primary key, "${named}" text default '${quoted}', mood public.moods);
comment on table public."${named}" is '${quoted}';
comment on column public."${named}"."${named}" is '${quoted}';
insert into public."${named}" values (1, '${quoted}', '${quoted.slice(0, 60)}');
alter table public."${named}" enable row level security;
create policy "${named}" on public."${named}" for select using ("${named}" = '${quoted}');
create index "i${named}" on public."${named}" ("${named}");
create table public.large (id int primary key, body text);
alter table public.large enable row level security;
insert into public.large select n, repeat('a', ${letters}) from generate_series(1, 3) n;
create table public.shifting (id int primary key, first text, second text);
alter table public.shifting enable row level security;
insert into public.shifting select n, 'first ' || n, 'second ' || n from generate_series(1, 500) n;
select cron.schedule('${quoted}', '30 3 * * *', 'select ''${quoted.replaceAll("'", "''")}''');
select pgmq.create('errands');
select pgmq.send('errands', jsonb_build_object('${quoted}', '${quoted}'));
`

/** A mail that tries to run scripts. The browser must not run any of them in the frame of the mail. */
const MAIL = `<script>top.hacked = 1</script><img src=x onerror="top.hacked = 1"><p>{{ .Email }}</p>`

const changeConfig = (config: string) => `${config}
[auth.email.template.invite]
subject = ${JSON.stringify(HOSTILE)}
content_path = "./templates/invite.html"
`

interface Place {
  url: string
  owner: Awaited<ReturnType<typeof firstOperator>>
  serviceKey: string
}

const test = base.extend<{ operator: Page }, { place: Place }>({
  place: [
    async ({}, use) => {
      const server = await startProject({
        from: null,
        change: changeConfig,
        files: { 'migrations/20260101000000_hostile.sql': SCHEMA, 'templates/invite.html': MAIL },
      })
      const place = { url: server.url, owner: await firstOperator(server), serviceKey: server.serviceKey }
      // The migration does not create these tables, because the server would then not start within a minute on a busy machine.
      for (let first = 1; first <= 2000; first += 250)
        await sql(place, `do $$ begin for n in ${first}..${first + 249} loop execute format('create table public.t_%s (id int)', n); end loop; end $$`)
      await use(place)
      await server.remove()
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  operator: async ({ browser, place }, use) => {
    const context = await newContext(browser)
    const [name, value] = place.owner.cookie.split('=')
    await context.addCookies([{ name: name ?? '', value: value ?? '', url: `${place.url}/_` }])
    await use(await context.newPage())
    await context.close()
  },
})

/** Matches the paths of pages that show the stored content. */
const shows = /^\/(tables|policies|api-docs.*table=|files|jobs)/

/** Checks that no script ran, and that no stored markup became an element. */
async function harmless(page: Page, where: string) {
  expect.soft(await page.evaluate(() => 'hacked' in window), `${where}: a script ran`).toBe(false)
  expect.soft(await page.locator('img[src="x"], script:not([src])').count(), `${where}: markup became elements`).toBe(0)
}

test('stored rows, names, comments, users, jobs, messages, mails and log lines are shown as plain text', async ({ operator: page, place }) => {
  test.slow()
  const admin = clientOf(place.url, place.serviceKey)
  const { error } = await admin.auth.admin.createUser({
    email: 'ada@example.com',
    user_metadata: { name: HOSTILE },
    app_metadata: { note: HOSTILE },
  })
  expect(error).toBeNull()
  expect((await admin.auth.admin.inviteUserByEmail('bo@example.com', { data: { name: HOSTILE } })).error).toBeNull()
  // The client sends a path and a user agent, which the server writes to the log.
  await fetch(`${place.url}/rest/v1/${encodeURIComponent(HOSTILE)}?select=${encodeURIComponent(HOSTILE)}`, {
    headers: { apikey: place.serviceKey, 'user-agent': HOSTILE, 'x-client-info': HOSTILE },
  })
  // No client can give a file such a name. Therefore the test writes this row with SQL.
  await admin.storage.createBucket('box', { public: true })
  await sql(place, `insert into storage.objects (bucket_id, name, metadata) values ('box', '${quoted}', '{"mimetype": "text/html", "size": 1}')`)
  const table = `/tables/public/${encodeURIComponent(HOSTILE.slice(0, named.length - (named.match(/""/g)?.length ?? 0)))}`
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  for (const path of [
    '/',
    table,
    `${table}?show=structure`,
    '/policies?find=img',
    '/advisors',
    '/api-docs',
    `/api-docs?schema=public&table=${table.split('/').at(-1) ?? ''}`,
    '/users',
    '/files?bucket=box',
    '/jobs',
    '/logs',
    '/audit',
    `/why?path=${encodeURIComponent(`/rest/v1/${encodeURIComponent(HOSTILE)}`)}&schema=public&as=${encodeURIComponent('{"role":"anon"}')}`,
  ]) {
    await page.goto(`${place.url}/_${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await settled(page)
    if (shows.test(path)) await expect(page.getByText('onerror').filter({ visible: true }).first()).toBeVisible()
    await harmless(page, path)
  }
  await page.goto(`${place.url}/_/users?search=ada`)
  await page.getByRole('button', { name: 'ada@example.com' }).click()
  await expect(page.getByLabel('User metadata')).toHaveValue(/onerror/)
  await harmless(page, 'a user')
  await page.goto(`${place.url}/_/jobs`)
  await page.getByRole('button', { name: 'errands' }).click()
  await expect(page.getByRole('region', { name: 'Message 1' })).toContainText('<script>')
  await harmless(page, 'a message of a queue')
  await page.goto(`${place.url}/_/mail?to=bo@example.com`)
  await page.getByRole('button', { name: HOSTILE }).click()
  await expect(page.getByRole('dialog').locator('iframe')).toHaveAttribute('sandbox', '')
  await expect(page.frameLocator('iframe').getByText('bo@example.com')).toBeVisible()
  expect(await page.evaluate(() => 'hacked' in window), 'a mail: a script ran').toBe(false)
  expect(dialogs).toEqual([])
})

test('cells of 10 MB: the page gets the beginning, the panel the complete value', async ({ operator: page, place }) => {
  let bytes = 0
  page.on('response', async (response) => {
    if (response.url().endsWith('/rows/read')) bytes += (await response.body()).length
  })
  await page.goto(`${place.url}/_/tables/public/large`)
  const cell = page.getByRole('gridcell', { name: /^a+ …$/ }).first()
  await expect(cell).toBeVisible()
  expect(bytes).toBeGreaterThan(0)
  expect(bytes).toBeLessThan(1_000_000)
  await cell.dblclick()
  const field = page.getByRole('dialog').getByLabel('body', { exact: true })
  await expect.poll(() => field.evaluate((area: HTMLTextAreaElement) => area.value.length)).toBe(letters)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
})

test('of 2,000 tables, only the visible ones are rendered, and one is found by name', async ({ operator: page, place }) => {
  await page.goto(`${place.url}/_/tables`)
  const list = page.getByRole('navigation', { name: 'Tables' })
  await expect(list.getByRole('link').first()).toBeVisible()
  expect(await list.getByRole('link').count()).toBeLessThan(100)
  await page.getByLabel('Find a table').fill('t_1999')
  await list.getByRole('link', { name: 't_1999' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 't_1999' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Pages, tables and actions' }).pressSequentially('t_1234')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 't_1234' })).toBeVisible()
})

test('a schema that changes meanwhile is reported, and loaded again', async ({ operator: page, place }) => {
  await page.goto(`${place.url}/_/tables/public/shifting`)
  await expect(page.getByRole('gridcell', { name: 'second 1', exact: true })).toBeVisible()
  await sql(place, 'alter table public.shifting drop column second, add column third int default 3')
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByRole('columnheader', { name: /^third/ })).toBeVisible()
  await expect(page.getByRole('gridcell', { name: 'first 1', exact: true })).toBeVisible()
  await expect(page.getByRole('gridcell', { name: 'second 1', exact: true })).toHaveCount(0)
  // The user begins an edit before the column is renamed.
  await page.getByRole('gridcell', { name: 'first 2', exact: true }).dblclick()
  await page.getByRole('textbox', { name: 'first, text' }).fill('late')
  await page.keyboard.press('Enter')
  await sql(place, 'alter table public.shifting rename column first to renamed')
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  await expect(page.getByRole('region', { name: 'Messages' })).toContainText('first')
  await sql(place, 'drop table public.shifting')
  await page.reload()
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Tables' })).toBeVisible()
})
