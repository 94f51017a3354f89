/** A server with a small project, and its first operator: one pair for each worker. */
import { test as base, expect, type Browser, type BrowserContext, type Page } from '@playwright/test'
import { startProject } from '../../support/program.mjs'
import { fromBuilt } from './built.ts'
import { clientOf } from './club.ts'

export const EMAIL = 'owner@example.com'
export const PASSWORD = 'Greenock pier at dusk'

/** What somebody could have stored to run in an operator's browser. */
export const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

const SCHEMA = `
create table public.notes (id bigint generated always as identity primary key, user_id uuid, body text not null);
alter table public.notes enable row level security;
insert into public.notes (user_id, body) values (null, 'first'), (gen_random_uuid(), 'second');
create table public.open_book (id bigint primary key, body text);
create table public."odd name; drop" (id int primary key);
alter table public."odd name; drop" enable row level security;
`

const FUNCTION = `Deno.serve(() => new Response('hello'))\n`

export interface Dashboard {
  url: string
  /** Of the project, not of the dashboard. */
  serviceKey: string
  anonKey: string
  /** The cookie and storage of a browser in which the owner is signed in. */
  state: string
}

export const test = base.extend<{ owner: Page; stranger: Page }, { dashboard: Dashboard }>({
  dashboard: [
    async ({ browser }, use, worker) => {
      const cloch = await startProject({
        from: null,
        change: (config: string) => `${config}\n[functions.hello]\nverify_jwt = false\n`,
        files: { 'migrations/20260101000000_notes.sql': SCHEMA, 'functions/hello/index.ts': FUNCTION },
      })
      const state = `${cloch.folder}/state-${worker.workerIndex}.json`
      await becomeOwner(browser, cloch.keys.DASHBOARD_LINK, state)
      await fill(cloch.url, cloch.serviceKey, cloch.anonKey)
      await use({ url: cloch.url, serviceKey: cloch.serviceKey, anonKey: cloch.anonKey, state })
      await cloch.remove()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  stranger: async ({ browser }, use) => {
    const context = await newContext(browser)
    await use(await context.newPage())
    await context.close()
  },
  owner: async ({ browser, dashboard }, use) => {
    const context = await newContext(browser, { storageState: dashboard.state, viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    await use(page)
    await context.close()
  },
})
export { expect }

/** A browser of its own for somebody. */
export async function newContext(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  await fromBuilt(context)
  return context
}

/** The link that the start printed, a password, and in. */
async function becomeOwner(browser: Browser, link: string, state: string) {
  const context = await newContext(browser)
  const page = await context.newPage()
  await page.goto(link)
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Name (optional)').fill('Olive Owner')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Set the password and sign in' }).click()
  await expect(page.getByRole('link', { name: 'Olive Owner' })).toBeVisible()
  await context.storageState({ path: state })
  await context.close()
}

/** Users, a bucket with a picture and a hostile file, a refused request. */
async function fill(url: string, serviceKey: string, anonKey: string) {
  const admin = clientOf(url, serviceKey)
  for (const email of ['ada@example.com', 'bo@example.com']) {
    const { error } = await admin.auth.admin.createUser({
      email,
      password: 'a long password',
      email_confirm: true,
      user_metadata: { name: HOSTILE },
    })
    if (error) throw error
  }
  await admin.storage.createBucket('pictures', { public: true })
  await admin.storage.from('pictures').upload('folder/readme.txt', new Blob(['hello'], { type: 'text/plain' }))
  await admin.storage.from('pictures').upload(`(a) & 'b'.html`, new Blob([HOSTILE], { type: 'text/html' }))
  await clientOf(url, anonKey).from('notes').select()
}

export const open = async (page: Page, { url }: Dashboard, path: string, heading?: string | RegExp) => {
  await page.goto(`${url}/_${path}`)
  await expect(page.getByRole('heading', { level: 1, ...(heading ? { name: heading } : {}) })).toBeVisible()
}

/** Every page, and what its heading says. */
export const pages = [
  ['/', /./],
  ['/users', 'Users'],
  ['/policies', 'Policies'],
  ['/why', 'Why was it refused?'],
  ['/advisors', 'Advisors'],
  ['/files', 'Files'],
  ['/files?bucket=pictures', 'pictures'],
  ['/functions', 'Functions'],
  ['/functions/hello', 'hello'],
  ['/realtime', 'Realtime'],
  ['/jobs', 'Cron and queues'],
  ['/mail', 'Mail'],
  ['/logs', 'Logs'],
  ['/backups', 'Backups'],
  ['/settings', 'Settings'],
  ['/operators', 'Operators'],
  ['/audit', 'Audit'],
  ['/account', 'Your account'],
] as const

/** Waits until what a page reads has come. */
export const settled = async (page: Page) => {
  await expect(page.getByRole('status').filter({ hasText: 'Loading' })).toHaveCount(0)
}
