/** A club for each Playwright worker: server, database, inbox, and the users of the club. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test as base, expect, type Browser, type Page } from '@playwright/test'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { startProject } from '../../support/program.mjs'

export interface Club {
  url: string
  /** The server's data folder. */
  data: string
  /** The initial texts of the website. Each test starts with these texts. */
  texts: { name: string; value: string }[]
  /** The client of an admin. It calls the database functions that only admins may call. */
  asAdmin: SupabaseClient
  anonKey: string
  /** The values that `cloch status` prints. */
  keys: Record<string, string>
  /** A client that bypasses all policies. Tests prepare data and check results with it. */
  database: SupabaseClient
  admin: { id: string; email: string; password: string }
  /** A user with an account but without any role. */
  member: { id: string; email: string; password: string }
  judgingPassword: string
}

interface Fixtures {
  /** A page on which an admin is signed in. */
  office: Page
}

const root = resolve(import.meta.dirname, '../../..')
/** A folder with a built web app, so that a test of the app does not need a new build of the program. */
const web = process.env.CLOCH_TEST_WEB

/** Tables that a test may have filled. Each table is listed before the tables that it references. */
const tables = [
  'guest_letters',
  'young_citizen_nominations',
  'young_musician_entries',
  'young_photographer_entries',
  'young_artist_entries',
  'offline_submissions',
  'contact_departments',
  'contacts',
  'departments',
  'schools',
  'judges',
  'event_checklist_items',
  'invited_guests',
  'seasons',
  'late_links',
  'entry_links',
  'entry_mails',
  'reminders',
  'site_results',
  'season_totals',
  'judging_criteria',
]

export const test = base.extend<Fixtures & { empty: void }, { club: Club }>({
  club: [
    async ({}, use) => {
      const settings = readFileSync(join(root, 'supabase-config/cloch.toml'), 'utf8')
      const server = await startProject(
        web ? { files: { 'cloch.toml': settings.replace('app = "embedded"', `app = ${JSON.stringify(web)}`) } } : {},
      )
      const database = clientOf(server.url, server.serviceKey)
      const admin = await makeUser(database, 'secretary@club.example.org')
      await must(database.from('user_roles').insert({ user_id: admin.id, role: 'admin' }))
      const member = await makeUser(database, 'member@club.example.org')
      const judgingPassword = 'the lamp is lit tonight'
      await must(database.functions.invoke('set-judging-password', { body: { password: judgingPassword } }))
      const texts = await must(database.from('site_texts').select('name, value'))
      const asAdmin = clientOf(server.url, server.anonKey)
      const { error } = await asAdmin.auth.signInWithPassword(admin)
      if (error) throw error
      await use({ url: server.url, data: server.data, texts, asAdmin, anonKey: server.anonKey, keys: server.keys, database, admin, member, judgingPassword })
      await server.remove()
    },
    { scope: 'worker', timeout: 120_000 },
  ],

  baseURL: async ({ club }, use) => use(club.url),

  empty: [
    async ({ club }, use) => {
      for (const table of tables) {
        const key = table === 'contact_departments' ? 'contact_id' : 'id'
        await must(club.database.from(table).delete().not(key, 'is', null))
      }
      const now = new Map((await must(club.database.from('site_texts').select('name, value'))).map(({ name, value }) => [name, value]))
      for (const { name, value } of club.texts) {
        if (now.get(name) !== value) await must(club.database.from('site_texts').update({ value }).eq('name', name).select())
      }
      // Reverts the changes of earlier tests to the website, published or not.
      const { has_changes: hasChanges } = await must(club.asAdmin.rpc('site_status').single<{ has_changes: boolean }>())
      if (hasChanges) await must(club.asAdmin.rpc('publish_site'))
      await use()
    },
    { auto: true },
  ],

  office: async ({ browser, club }, use) => {
    const page = await signedIn(browser, club, club.admin)
    await use(page)
    await page.context().close()
  },
})
export { expect }

/** Returns a client that stores no session. Node 20 has no WebSocket class, and these tests need none. */
export function clientOf(url: string, key: string): SupabaseClient {
  const transport = class {} as unknown as typeof WebSocket
  return createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false, experimental: { passkey: true } }, realtime: { transport } })
}

async function makeUser(database: SupabaseClient, email: string) {
  const password = 'a quiet harbour 27'
  const { data, error } = await database.auth.admin.createUser({ email, password, email_confirm: true })
  if (error) throw error
  return { id: data.user.id, email, password }
}

/**
 * Returns a page in a separate browser context, in which a user is signed in. The storage contains what the client writes after the sign-in form. The
 * file back-office/access.spec.ts tests this form.
 */
export async function signedIn(browser: Browser, club: Club, user: { email: string; password: string }): Promise<Page> {
  const localStorage = await storedSession(club, user)
  const storageState = { cookies: [], origins: [{ origin: club.url, localStorage }] }
  const context = await browser.newContext({ baseURL: club.url, acceptDownloads: true, storageState })
  return context.newPage()
}

/** Returns the entries that the client writes into the browser's storage when a user signs in with a password. */
async function storedSession(club: Club, user: { email: string; password: string }) {
  const entries = new Map<string, string>()
  const storage = {
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
    removeItem: (name: string) => void entries.delete(name),
  }
  const transport = class {} as unknown as typeof WebSocket
  const { auth } = createClient(club.url, club.anonKey, { auth: { storage, autoRefreshToken: false }, realtime: { transport } })
  const { error } = await auth.signInWithPassword(user)
  if (error) throw error
  return [...entries].map(([name, value]) => ({ name, value }))
}

/** Returns a page in a separate browser context, in which a judge has entered the password. */
export async function judgesPage(browser: Browser, club: Club, prepare: (page: Page) => Promise<unknown> = async () => undefined): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: club.url })).newPage()
  await prepare(page)
  await page.goto('/judging')
  await page.getByLabel('Enter judging password').fill(club.judgingPassword)
  await page.getByRole('button', { name: 'Access Judging' }).click()
  await expect(page.getByRole('heading', { name: 'Entry Totals' })).toBeVisible()
  return page
}

/** Returns the data of a response, or throws its error. */
export async function must<Data>(call: PromiseLike<{ data: Data; error: { message: string } | null }>): Promise<NonNullable<Data>> {
  const { data, error } = await call
  if (error) throw new Error(error.message)
  return data as NonNullable<Data>
}

/** Inserts rows. Returns them as the database has stored them. */
export async function add<Row extends object>(club: Club, table: string, rows: Row | Row[]): Promise<(Row & { id: string })[]> {
  return must(club.database.from(table).insert(rows, { defaultToNull: false }).select()) as Promise<(Row & { id: string })[]>
}

/** On phones, opens the menu that contains the actions. */
export async function unfold(page: Page) {
  const fold = page.getByRole('button', { name: 'Actions', exact: true })
  if ((await fold.isVisible()) && (await fold.getAttribute('aria-expanded')) === 'false') await fold.click()
}

/** Returns a message in the corner of the page. */
export function toast(page: Page, text: string | RegExp) {
  return page.locator('[data-sonner-toast]').filter({ hasText: text })
}
