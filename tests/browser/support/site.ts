/** The visitors' site on a server for each Playwright worker, and the actions of a visitor. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test as base, expect, type Page } from '@playwright/test'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { messageTo, messagesTo } from '../../support/inbox.mjs'
import { startProject } from '../../support/program.mjs'
import { signed } from './signatures.ts'

export interface Site {
  url: string
  /** A client that bypasses all policies. Tests check with it which data has arrived. */
  database: SupabaseClient
}

const root = resolve(import.meta.dirname, '../../..')
/** A folder with a built web app, so that a test of the app does not need a new build of the program. */
const web = process.env.CLOCH_TEST_WEB

/** Returns the club's cloch.toml. If `CLOCH_TEST_WEB` is set, the file names this built app. */
export function clubSettings(): string {
  const settings = readFileSync(join(root, 'supabase-config/cloch.toml'), 'utf8')
  return web ? settings.replace('app = "embedded"', `app = ${JSON.stringify(web)}`) : settings
}

export const entryTables = [
  'young_citizen_nominations',
  'young_musician_entries',
  'young_photographer_entries',
  'young_artist_entries',
] as const

export const test = base.extend<{ clean: void }, { site: Site }>({
  site: [
    async ({}, use) => {
      const server = await startProject({ files: { 'cloch.toml': clubSettings() } })
      const transport = class {} as unknown as typeof WebSocket
      const database = createClient(server.url, server.serviceKey, {
        auth: { persistSession: false, autoRefreshToken: false },
        realtime: { transport },
      })
      await use({ url: server.url, database })
      await server.remove()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ site }, use) => use(site.url),
  clean: [
    async ({ site }, use) => {
      for (const table of [...entryTables, 'extra_files']) await site.database.from(table).delete().not('id', 'is', null)
      await use()
    },
    { auto: true },
  ],
})
export { expect }

/** Returns the rows of a table. */
export async function rows(site: Site, table: string): Promise<Record<string, unknown>[]> {
  const { data, error } = await site.database.from(table).select('*')
  if (error) throw new Error(error.message)
  return data
}

/** Returns a row without the columns that are filled by the database or the club. */
export function sent({ id, created_at, updated_at, school_id, submission_key, withdrawn_at, place, ...columns }: Record<string, unknown>) {
  return columns
}

/** Returns the bytes of a stored file. */
export async function stored(site: Site, bucket: string, path: string): Promise<Buffer> {
  const { data, error } = await site.database.storage.from(bucket).download(path)
  if (error) throw new Error(error.message)
  return Buffer.from(await data.arrayBuffer())
}

export const mailTo = (site: Site, address: string, subject: RegExp) => messageTo(site.url, address, subject)
/** Returns the source of a message, with its headers. */
export const mailSource = async (site: Site, id: string) => (await fetch(`${site.url}/_/inbox/${id}/source`)).text()
export const mailsTo = (site: Site, address: string) => messagesTo(site.url, address)

/** Returns a file of a given size with random bytes. */
export function file(name: string, mimeType: string, size: number) {
  const block = createHash('sha256').update(name).digest()
  return { name, mimeType, buffer: signed(mimeType, Buffer.alloc(size, block)) }
}

/** Chooses files, as a user does in the device's file chooser. */
export const choose = (page: Page, files: ReturnType<typeof file>[]) => page.locator('input[type=file]').setInputFiles(files)

/** Expects a message in the corner of the page, with its title and text. */
export async function expectToast(page: Page, title: string, description: string) {
  const toast = page.locator('[data-sonner-toast]').filter({ hasText: title }).filter({ hasText: description }).first()
  await expect(toast).toBeVisible()
}

/** Answers questions. The fields are found by their labels, and radio buttons by the label of the answer. */
export async function answer(page: Page, answers: Record<string, string>) {
  for (const [label, text] of Object.entries(answers)) await page.getByLabel(label, { exact: true }).fill(text)
}

/** Selects one option of a group of radio buttons. */
export const choice = (page: Page, group: string | RegExp, label: string) =>
  page.getByRole('group', { name: group }).getByRole('radio', { name: label }).check()

/** Expects these lines in the summary above a form with errors. */
export async function expectSummary(page: Page, lines: string[]) {
  const summary = page.getByRole('group', { name: /needs? another look/ })
  await expect(summary).toBeFocused()
  await expect(summary.getByRole('link')).toHaveText(lines)
}

/** Serves a page without the configuration that the server normally writes into the page, and makes requests for the configuration fail. */
export async function withoutConfig(page: Page, path: string) {
  await page.route('**/_/config.json', (route) => route.abort())
  await page.route(
    (url) => url.pathname + url.search === path,
    async (route) => {
      const response = await route.fetch()
      const body = (await response.text()).replace(/<script type="application\/json" id="config">.*?<\/script>/s, '')
      await route.fulfill({ response, body })
    },
  )
}

/** Waits until React has hydrated the page that the server sent. The buttons of the page work only after that. */
export const taken = (page: Page) =>
  page.waitForFunction(() => Object.keys(document.querySelector('h1') ?? {}).some((key) => key.startsWith('__reactFiber')))
