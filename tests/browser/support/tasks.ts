/**
 * Tasks that an operator does by clicking, beginning at Home. The clicks are counted and compared with docs/dashboard-tasks.md. With
 * CLOCH_WRITE_DOCS=1 they are written into this page (use `--workers 1`).
 */
import type { BrowserContext, Locator, Page } from '@playwright/test'
import { type Dashboard, expect, open, runSql, settled, test } from './dashboard.ts'
import { lane } from './lane.ts'
import { type Count, documented, record } from './tasks-page.ts'

export { expect } from './dashboard.ts'

interface Tools {
  page: Page
  dashboard: Dashboard
  /** Ends a part of a task that consists of several. The clicks of each part are counted separately. */
  endPart: () => Promise<void>
  /** Runs SQL that prepares or checks a task. */
  sql: (text: string) => ReturnType<typeof runSql>
}

/**
 * Declares the test of a task.
 * @param name the name of the task in docs/dashboard-tasks.md
 * @param before what the task needs: SQL, or a function. It runs before Home is opened
 */
export const task = (name: string, body: (tools: Tools) => Promise<void>, before?: string | ((dashboard: Dashboard) => Promise<unknown>)) =>
  test(name, lane(false), async ({ owner, dashboard }) => {
    if (typeof before === 'string') await runSql(owner, dashboard, before)
    else await before?.(dashboard)
    const total = await counter(owner.context())
    await open(owner, dashboard, '/')
    await settled(owner)
    const count: Count = { clicks: [], keys: 0 }
    const endPart = async () => {
      // The response comes after the events that the page has sent.
      await owner.evaluate(() => undefined)
      const counted = count.clicks.reduce((sum, part) => sum + part, 0)
      if (total.clicks > counted || count.clicks.length === 0) count.clicks.push(total.clicks - counted)
      count.keys = total.keys
    }
    await body({ page: owner, dashboard, endPart, sql: (text) => runSql(owner, dashboard, text) })
    await endPart()
    if (process.env.CLOCH_WRITE_DOCS) return record(name, count)
    const most = documented(name)
    expect(count.clicks.length, 'parts of the task').toBe(most.clicks.length)
    for (const [part, clicks] of count.clicks.entries()) expect(clicks, `clicks of part ${part + 1}`).toBeLessThanOrEqual(most.clicks[part] ?? 0)
    expect(count.keys, 'keys').toBeLessThanOrEqual(most.keys)
  })

/**
 * Counts what a user does in the pages of a context. Presses of the mouse are counted, because one press on a label causes two `click` events. A choice
 * in a list counts as two clicks: one opens the list, which is not part of the page. Keys that write text are not counted.
 */
async function counter(context: BrowserContext) {
  const total = { clicks: 0, keys: 0 }
  await context.exposeFunction('countInput', (kind: keyof typeof total, by: number) => {
    total[kind] += by
  })
  await context.addInitScript(() => {
    const { countInput } = window as unknown as { countInput: (kind: string, by: number) => void }
    addEventListener('mousedown', (event) => event.isTrusted && countInput('clicks', 1), true)
    // Playwright chooses an option without opening the list, so its event is not trusted.
    addEventListener('change', (event) => !event.isTrusted && event.target instanceof HTMLSelectElement && countInput('clicks', 2), true)
    const text = ['Shift', 'Control', 'Alt', 'Meta', 'Backspace', 'Delete']
    addEventListener(
      'keydown',
      (event) => {
        const isShortcut = event.ctrlKey || event.metaKey || event.altKey
        if (event.isTrusted && !text.includes(event.key) && (event.key.length > 1 || isShortcut)) countInput('keys', 1)
      },
      true,
    )
  })
  return total
}

/** Writes a text into a field. A field without the focus is clicked first. */
export async function write(field: Locator, text: string) {
  if (!(await field.evaluate((element) => element === document.activeElement))) await field.click()
  await field.fill(text)
}

/** Replaces the text of a code editor. */
export async function writeCode(page: Page, name: string, text: string) {
  const editor = page.getByRole('textbox', { name })
  if (!(await editor.evaluate((element) => element.contains(document.activeElement)))) await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

/** Opens a page by its link in the navigation. */
export async function go(page: Page, name: string, heading = name) {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
}

/** Opens a list of database objects. */
export async function goToObjects(page: Page, name: string) {
  await go(page, 'Database', 'Database functions')
  await page.getByRole('navigation', { name: 'Database objects' }).getByRole('link', { name, exact: true }).click()
}

/** Opens a table of the schema public. */
export async function goToTable(page: Page, name: string) {
  await go(page, 'Tables')
  await tableLink(page, name).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

export const tableLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Tables' }).getByRole('link', { name: new RegExp(`^${name}\\b`) })

export const button = (within: Page | Locator, name: string | RegExp) => within.getByRole('button', { name, exact: true })

/** Runs the SQL that the topmost dialog shows, and waits until all dialogs are closed. */
export async function run(page: Page) {
  await page.getByRole('dialog').last().getByRole('button', { name: /^Run( and keep)?$/ }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}
