/** The diagram shows tables, lines and their symbols. Mouse, touch and keyboard move and zoom it. It can show hundreds of tables. */
import type { Page } from '@playwright/test'
import { screens, violations } from '../support/axe.ts'
import { expect, newContext, open, test } from '../support/dashboard.ts'
import { lane } from '../support/lane.ts'

const frame = (page: Page) => page.getByRole('region', { name: /^Diagram of/ })
const table = (page: Page, name: string | RegExp) => frame(page).getByRole('link', { name })
const place = async (page: Page, name: RegExp) => {
  const box = await table(page, name).boundingBox()
  if (!box) throw new Error('the table is not drawn')
  return box
}

/** Current scale of the diagram. */
const scale = (page: Page) =>
  frame(page).getByRole('list', { name: 'Tables' }).evaluate(({ parentElement }) => parentElement && new DOMMatrix(getComputedStyle(parentElement).transform).a)

/** Responds to the diagram's request with many tables, because the schema of the server is small. */
async function withTables(page: Page, count: number) {
  const rows = Array.from({ length: count }, (_, index) => ({
    name: `table_${index}`,
    partitioned: false,
    columns: Array.from({ length: 4 + (index % 20) }, (_, at) => ({ name: at === 0 ? 'id' : `column_${at}`, type: 'text', nullable: at > 1, key: at === 0 })),
    foreign_keys: index === 0 ? [] : [{ name: `key_${index}`, columns: ['column_1'], schema: 'public', table: `table_${Math.floor(index / 3)}`, referenced: ['id'] }],
  }))
  await page.route('**/_/api/catalog/diagram*', (route) => route.fulfill({ json: { rows, truncated: false } }))
}

for (const { name, colorScheme, width } of screens)
  test(`tables with columns, keys and references, ${name}`, lane(width > 600), async ({ owner, dashboard }, info) => {
    await owner.setViewportSize({ width, height: 800 })
    await owner.emulateMedia({ colorScheme })
    await open(owner, dashboard, '/diagram', 'Diagram')
    await expect(table(owner, 'boats, refers to harbours')).toBeVisible()
    await frame(owner).focus()
    await owner.keyboard.press('0')
    await expect(table(owner, 'notes')).toBeVisible()
    await owner.screenshot({ path: info.outputPath(`diagram-${width}-${colorScheme}.png`) })
    expect(await violations(owner)).toEqual([])
    const overhang = await owner.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(overhang).toBeLessThanOrEqual(0)
  })

test('marks for keys and null, and a click opens the table', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/diagram', 'Diagram')
  const columns = frame(owner).getByRole('list', { name: 'Columns of boats' })
  await expect(columns.getByRole('listitem').filter({ hasText: 'harbour_id' }).getByRole('img', { name: 'foreign key' })).toBeVisible()
  await expect(columns.getByRole('listitem').filter({ hasText: /^id/ }).getByRole('img', { name: 'primary key' })).toBeVisible()
  await expect(columns.getByRole('listitem').filter({ hasText: 'mood' })).toContainText('mood?')
  // The whole table is one link, which covers the columns. Therefore the click must be forced.
  await columns.getByText('harbour_id').click({ force: true })
  await expect(owner.getByRole('heading', { level: 1, name: 'boats' })).toBeVisible()
})

test('dragging moves the tables and opens none; the wheel and the keys zoom', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/diagram', 'Diagram')
  const before = await place(owner, /^boats/)
  await owner.mouse.move(before.x + 20, before.y + 10)
  await owner.mouse.down()
  await owner.mouse.move(before.x + 80, before.y + 50, { steps: 5 })
  await owner.mouse.up()
  const after = await place(owner, /^boats/)
  expect([Math.round(after.x - before.x), Math.round(after.y - before.y)]).toEqual([60, 40])
  await expect(owner).toHaveURL(/\/diagram/)
  await owner.mouse.wheel(0, -200)
  await expect.poll(async () => (await place(owner, /^boats/)).width).toBeGreaterThan(after.width * 1.3)
  await frame(owner).focus()
  await owner.keyboard.press('-')
  await owner.keyboard.press('-')
  await owner.keyboard.press('-')
  await expect.poll(async () => (await place(owner, /^boats/)).width).toBeLessThan(after.width)
})

test('300 tables: rendered at once; one is found; its neighbour is reached by keyboard', async ({ owner, dashboard }, info) => {
  await withTables(owner, 300)
  await open(owner, dashboard, '/diagram', 'Diagram')
  const links = frame(owner).getByRole('link')
  await expect(links.first()).toBeVisible()
  expect(await links.count()).toBeLessThan(120)
  await owner.getByLabel('Find a table').fill('table_299')
  await expect(owner.getByText('1 found. Enter shows one.')).toBeVisible()
  await owner.keyboard.press('Enter')
  await expect(table(owner, 'table_299, refers to table_99')).toBeVisible()
  await owner.getByLabel('Find a table').fill('')
  await owner.getByRole('button', { name: 'Show all tables' }).click()
  await expect(links).toHaveCount(300)
  await owner.screenshot({ path: info.outputPath('diagram-300.png') })
  await links.nth(150).focus()
  await owner.keyboard.press('Enter')
  await expect(owner).toHaveURL(/\/tables\/public\/table_/)
})

test('two fingers zoom', async ({ browser, dashboard }) => {
  const context = await newContext(browser, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, storageState: dashboard.state })
  const page = await context.newPage()
  await open(page, dashboard, '/diagram', 'Diagram')
  const before = await scale(page)
  const touch = await context.newCDPSession(page)
  const send = (type: string, ...points: [number, number][]) =>
    touch.send('Input.dispatchTouchEvent', { type: type as 'touchStart', touchPoints: points.map(([x, y], id) => ({ x, y, id })) })
  await send('touchStart', [150, 400], [250, 400])
  await send('touchMove', [100, 400], [300, 400])
  await send('touchMove', [80, 400], [320, 400])
  await send('touchEnd')
  await expect.poll(() => scale(page)).toBeGreaterThan((before ?? 0) * 1.5)
  await context.close()
})
