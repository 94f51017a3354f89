/**
 * The page of tables: the operator reads rows, changes them after a review of the SQL, and shows them as another caller. The test also covers a table
 * of a million rows, use by keyboard only, and axe.
 */
import type { Browser, Page } from '@playwright/test'
import { screens, violations } from '../support/axe.ts'
import { fromBuilt } from '../support/built.ts'
import { expect, manyRows, sql, test } from '../support/operator.ts'
import { lane } from '../support/lane.ts'

const grid = (page: Page, table: string) => page.getByRole('grid', { name: `Rows of ${table}` })
const cell = (page: Page, text: string) => page.getByRole('gridcell', { name: text, exact: true })

const accessible = async (page: Page) => expect(await violations(page)).toEqual([])

test('a row is changed, undone, changed again, and saved by the SQL that was shown', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats`)
  await cell(page, 'Boat 1').dblclick()
  await page.getByRole('textbox', { name: 'name, text' }).fill("O'Neill")
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 change is not saved.')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(cell(page, 'Boat 1')).toBeVisible()
  await cell(page, 'Boat 1').dblclick()
  await page.getByRole('textbox', { name: 'name, text' }).fill("O'Neill")
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog.getByLabel('SQL')).toHaveValue(/update "public"."boats"\s+set "name" = 'O''Neill'\s+where "id" = '1';/)
  await accessible(page)
  await dialog.getByRole('button', { name: 'Run', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(cell(page, "O'Neill")).toBeVisible()
  expect(await sql(dashboard, 'select name from boats where id = 1')).toEqual([["O'Neill"]])
})

test('a row that was deleted meanwhile is not changed, and a message says so', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats`)
  await cell(page, 'Boat 11').dblclick()
  await page.getByRole('textbox', { name: 'name, text' }).fill('late')
  await page.keyboard.press('Enter')
  await sql(dashboard, 'delete from boats where id = 11')
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('0 rows instead of 1')
})

test('a row is opened and deleted by touch alone, on a telephone', async ({ browser, page, dashboard }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  await fromBuilt(context)
  await context.addCookies(await page.context().cookies())
  const phone = await context.newPage()
  await phone.goto(`${dashboard.url}/_/tables/public/boats`)
  await cell(phone, 'Boat 9').tap()
  await phone.getByRole('button', { name: 'Open the row' }).tap()
  await expect(phone.getByRole('dialog').getByLabel('name', { exact: true })).toHaveValue('Boat 9')
  await phone.getByRole('button', { name: 'Delete the row' }).tap()
  await phone.getByRole('button', { name: 'Save' }).tap()
  await expect(cell(phone, 'Boat 9')).toHaveCount(0)
  expect(await sql(dashboard, 'select count(*) from boats where id = 9')).toEqual([['0']])
  await context.close()
})

test('a new row, from the panel to the database', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats`)
  await page.getByRole('button', { name: 'Row', exact: true }).click()
  await page.getByLabel('name', { exact: true }).fill('New boat')
  await page.getByLabel('mood', { exact: true }).selectOption('calm')
  await accessible(page)
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click()
  await expect.poll(() => sql(dashboard, "select mood from boats where name = 'New boat'")).toEqual([['calm']])
})

test('a file is read by its names, of which one is unknown and one left out', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats`)
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog')
  const text = 'nmae;mood;remark\nReads, well;calm;x\n"";wild;"a\nb"\n'
  await dialog.getByLabel('File').setInputFiles({ name: 'boats.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await expect(dialog.getByLabel('The first line has names')).toBeChecked()
  await expect(dialog.getByLabel('Separated by')).toHaveValue(';')
  await expect(dialog.getByText('The table has no column of this name')).toHaveCount(2)
  await expect(dialog.getByRole('button', { name: 'Import' })).toBeDisabled()
  await dialog.getByLabel('Column 1: nmae').selectOption('name')
  await dialog.getByLabel('Column 3: remark').selectOption('Leave out')
  await accessible(page)
  await dialog.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText('2 rows are in boats')).toBeVisible()
  const found = await sql(dashboard, "select name, mood from boats where name in ('Reads, well', '') order by name")
  expect(found).toEqual([['', 'wild'], ['Reads, well', 'calm']])
  await sql(dashboard, "delete from boats where name in ('Reads, well', '')")
})

test('filters, order, the row that a value refers to, and the address of it all', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats`)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByLabel('Column').selectOption('name')
  await page.getByLabel('Comparison').selectOption('ilike')
  await page.getByRole('textbox', { name: 'Value' }).fill('boat 2%')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/^11 rows$/)).toBeVisible()
  await page.getByRole('columnheader', { name: /^id/ }).getByRole('button').click()
  await page.getByRole('columnheader', { name: /^id/ }).getByRole('button').click()
  await expect(page.getByRole('row').nth(1)).toContainText('Boat 29')
  await page.reload()
  await expect(page.getByRole('row').nth(1)).toContainText('Boat 29')
  await page.getByRole('button', { name: 'Show what school_id 3 refers to' }).first().click()
  // The page shows a script in a value as text.
  await expect(page.getByRole('dialog')).toContainText('<img src=x onerror=alert(1)>')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'As code' }).click()
  await expect(page.getByRole('region', { name: 'supabase-js' })).toContainText(`.ilike("name", "boat 2%")`)
})

test('as anon: what they see, and what they could change', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats`)
  await page.getByRole('button', { name: 'View as' }).click()
  await page.getByLabel('View as').last().selectOption('anon')
  await page.getByRole('dialog').getByRole('button', { name: 'View', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Viewing as anon' })).toBeVisible()
  await expect(page.getByText('You look as anon: these are their rows.')).toBeVisible()
  const { entries } = await dashboard.owner.must('GET', '/audit?action=rows.read')
  expect(entries.map(({ target }: { target: string }) => target)).toContain('public.boats as anon')
  await expect(cell(page, 'wild')).toHaveCount(0)
  await cell(page, 'Boat 4').dblclick()
  await page.getByRole('textbox', { name: 'name, text' }).fill('tried')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Try as anon' }).click()
  await expect(page.getByText('anon may not do this')).toBeVisible()
  expect(await sql(dashboard, "select count(*) from boats where name = 'tried'")).toEqual([['0']])
  // The page uses the chosen caller for all tables and shows a notice until the operator resets the choice.
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: /^schools/ }).click()
  await expect(page.getByText('You look as anon: these are their rows.')).toBeVisible()
  await page.getByRole('button', { name: 'Be yourself again' }).click()
  await expect(page.getByText('You look as anon')).toBeHidden()
})

test('a new table is SQL first, and a migration file', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables`)
  await page.getByRole('button', { name: 'New table' }).click()
  await page.getByLabel('Name', { exact: true }).fill('"; drop')
  await accessible(page)
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  // The form behind the dialog has the same switch.
  const dialog = page.getByRole('dialog').filter({ has: page.getByLabel('SQL', { exact: true }) })
  await expect(dialog.getByLabel('SQL')).toHaveValue(/create table public\."""; drop"[^]*enable row level security/)
  await expect(dialog.getByLabel('Keep as a migration file')).toBeChecked()
  await expect(dialog.getByLabel('Name of the migration')).toHaveValue('create_drop')
  await dialog.getByRole('button', { name: 'Run and keep' }).click()
  await expect(page.getByRole('heading', { level: 1, name: '"; drop' })).toBeVisible()
  await expect(page.getByText('There are no rows yet')).toBeVisible()
})

test('values of an enum, and where changes are sent, are changed by SQL that is shown', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats?show=structure`)
  const review = page.getByRole('dialog').filter({ has: page.getByLabel('SQL', { exact: true }) })
  await page.getByRole('button', { name: 'Values of mood' }).click()
  await page.getByLabel('New value (optional)').fill('wild')
  await expect(page.getByText('A value is there twice.')).toBeVisible()
  await page.getByLabel('New value (optional)').fill('brisk')
  await page.getByLabel('Its place').selectOption('Before wild')
  await accessible(page)
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  await expect(review.getByLabel('SQL')).toHaveValue("alter type public.mood add value 'brisk' before 'wild';")
  await review.getByRole('button', { name: 'Run and keep' }).click()
  await expect(review).toBeHidden()
  expect(await sql(dashboard, 'select unnest(enum_range(null::public.mood))::text')).toEqual([['calm'], ['brisk'], ['wild']])

  await page.getByRole('button', { name: 'Send changes to supabase_realtime' }).click()
  await expect(review.getByLabel('SQL')).toHaveValue('alter publication supabase_realtime add table public.boats;')
  await review.getByRole('button', { name: 'Run and keep' }).click()
  await expect(page.getByRole('button', { name: 'Stop sending changes to supabase_realtime' })).toBeVisible()
})

test('rows without a key are read-only, and the page says why', async ({ page, dashboard }) => {
  await sql(dashboard, "create table public.keyless (a int); insert into public.keyless values (7); alter table public.keyless enable row level security")
  await page.goto(`${dashboard.url}/_/tables/public/keyless`)
  await expect(page.getByText(/Rows are read-only here: without a primary key/)).toBeVisible()
  await cell(page, '7').dblclick()
  await expect(page.getByRole('dialog')).toContainText('This row can only be read here.')
})

test('by keyboard alone: to the last row, into a cell, and out of it', async ({ page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/many`)
  const rows = grid(page, 'many')
  await expect(cell(page, 'row 1')).toBeVisible()
  await rows.focus()
  await page.keyboard.press('Control+End')
  await expect(cell(page, `row ${manyRows}`)).toBeVisible()
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'name, text' })).toHaveValue(`row ${manyRows}`)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('textbox', { name: 'name, text' })).toHaveCount(0)
})

test('a million rows open at once and scroll without interruption', async ({ page, browser, dashboard }) => {
  await page.addInitScript(() => {
    const tasks: number[] = []
    Object.assign(window, { longTasks: tasks })
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
  })
  await page.goto(`${dashboard.url}/_/tables/public`)
  await page.getByRole('link', { name: /^boats/ }).click()
  await expect(cell(page, 'Boat 2')).toBeVisible()
  // Measures in the page the time from the click until the rows are visible.
  const opened = await page.evaluate(
    () =>
      new Promise<number>((done) => {
        const begun = performance.now()
        new MutationObserver((_, observer) => {
          if (!document.querySelector('[role=gridcell]')?.textContent || !document.querySelector('[aria-label="Rows of many"] [role=gridcell] .ml-auto')) return
          observer.disconnect()
          requestAnimationFrame(() => done(performance.now() - begun))
        }).observe(document.body, { childList: true, subtree: true, characterData: true })
        ;[...document.querySelectorAll<HTMLAnchorElement>('nav[aria-label=Tables] a')].find(({ textContent }) => textContent?.startsWith('many'))?.click()
      }),
  )
  const rows = grid(page, 'many')
  await expect(rows).toHaveAttribute('aria-rowcount', String(manyRows + 1))
  const cpu = await processorTimes(browser, page)
  const tasks = await rows.evaluate(async (frame) => {
    const { longTasks } = window as unknown as { longTasks: number[] }
    longTasks.length = 0
    for (let step = 0; step < 200; step += 1) {
      frame.scrollTop += 480
      await new Promise((done) => requestAnimationFrame(done))
    }
    for (let step = 0; step < 20; step += 1) {
      frame.scrollTop = (frame.scrollHeight * step) / 20
      await new Promise((done) => setTimeout(done, 100))
    }
    return longTasks
  })
  const longest = await cpu()
  console.log(
    `a table of ${manyRows} rows: open in ${Math.round(opened)} ms; while scrolling, longest task ${longest.toFixed(1)} ms of processor time; ` +
      `tasks over 50 ms by the clock: ${tasks.map(Math.round).join(', ') || 'none'}`,
  )
  // The limit is much higher than the goal of 300 ms, because tests share the machine. Therefore the longest task of the page is measured in
  // processor time, which other programs do not increase.
  expect(opened).toBeLessThan(3000)
  expect(longest).toBeLessThan(50)
})

/** Traces the page's main thread. @returns a function that stops tracing and returns the processor time of the longest task in milliseconds */
async function processorTimes(browser: Browser, page: Page): Promise<() => Promise<number>> {
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline', 'devtools.timeline'] })
  return async () => {
    const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
    // A browser has several renderer processes. The process of the page is the one that has run its scripts.
    const frames = trace.traceEvents.filter(({ name, tdur }) => name === 'FireAnimationFrame' && tdur !== undefined)
    const main = frames.at(-1)
    const tasks = trace.traceEvents.filter(({ name, pid, tid, tdur }) => /RunTask$/.test(name) && tdur !== undefined && pid === main?.pid && tid === main.tid)
    expect(tasks.length).toBeGreaterThan(100)
    return Math.max(...tasks.map(({ tdur }) => tdur ?? 0)) / 1000
  }
}

interface TraceEvent {
  name: string
  pid: number
  tid: number
  /** Processor time in microseconds. */
  tdur?: number
}

for (const { name: screen, width, colorScheme } of screens)
  test(`no accessibility violations ${screen}`, lane(colorScheme === 'light'), async ({ page, dashboard }, info) => {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    for (const [name, path] of [
      ['list', '/tables'],
      ['rows', '/tables/public/boats?filter=%5B%22mood%22%2C%22eq%22%2C%22calm%22%5D'],
      ['structure', '/tables/public/boats?show=structure'],
      ['api', '/docs?schema=public&table=boats'],
    ] as const) {
      await page.goto(`${dashboard.url}/_${path}`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByText(/^Loading/)).toHaveCount(0)
      await page.screenshot({ path: info.outputPath(`${name}-${width}-${colorScheme}.png`) })
      await accessible(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      expect(overflow, `${name} is wider than the screen`).toBeLessThanOrEqual(0)
    }
  })
