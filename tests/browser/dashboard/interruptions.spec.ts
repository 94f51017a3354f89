/**
 * The page keeps the user's input when the session ends, when a link leaves the page, when the server is unreachable for a moment, and when the user
 * presses a button twice.
 */
import type { Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { firstOperator } from '../../support/dashboard.mjs'
import { start, startProject } from '../../support/program.mjs'
import { EMAIL, expect, newContext, open, PASSWORD, test } from '../support/dashboard.ts'

const grid = (page: Page) => page.getByRole('grid', { name: 'Rows of boats' })

/** Edits a cell and does not save it. */
async function edited(page: Page, text: string) {
  await page.getByRole('gridcell', { name: 'Boat 3', exact: true }).dblclick()
  await page.getByRole('textbox', { name: 'name, text' }).fill(text)
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 change is not saved.')).toBeVisible()
  await expect(page.getByRole('region', { name: 'What will run' })).toContainText(text)
}

const signInAgain = (page: Page) => page.getByRole('dialog', { name: 'Sign in again' })

test('a session that ends while an operator edits loses no input', async ({ stranger: page, dashboard }) => {
  await page.goto(`${dashboard.url}/_/tables/public/boats`)
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await edited(page, 'Kept')
  await page.getByRole('button', { name: 'Row', exact: true }).click()
  await page.getByLabel('name', { exact: true }).fill('half of a row')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Add the row' }).click()
  await expect(signInAgain(page)).toBeVisible()
  await expect(signInAgain(page).getByLabel('E-mail')).toHaveValue(EMAIL)
  expect(await violations(page)).toEqual([])
  // The sign-in dialog stays open. Normally, a browser closes a dialog when the user presses Escape for the second time.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(signInAgain(page)).toBeVisible()
  await signInAgain(page).getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await expect(signInAgain(page)).toHaveCount(0)
  await expect(page.getByLabel('name', { exact: true })).toHaveValue('half of a row')
  await page.keyboard.press('Escape')
  await expect(page.getByText('1 change is not saved.')).toBeVisible()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('The row is changed')).toBeVisible()
  await expect(page.getByRole('gridcell', { name: 'Kept', exact: true })).toBeVisible()
})

test('a link that would lose unsaved input asks for confirmation', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/tables/public/boats', 'boats')
  await page.getByRole('gridcell', { name: 'Boat 5', exact: true }).dblclick()
  await page.getByRole('textbox', { name: 'name, text' }).fill('Not yet')
  await page.keyboard.press('Enter')
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' })
  for (const leave of [
    () => page.getByRole('link', { name: 'Users', exact: true }).click(),
    () => page.getByRole('link', { name: /^harbours/ }).click(),
    () => page.getByRole('link', { name: 'Structure', exact: true }).click(),
  ]) {
    await leave()
    await expect(asked).toBeVisible()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await expect(page.getByText('1 change is not saved.')).toBeVisible()
  }
  // The browser asks for confirmation before a reload.
  const question = page.waitForEvent('dialog')
  await page.evaluate(() => setTimeout(() => location.reload()))
  const browsers = await question
  expect(browsers.type()).toBe('beforeunload')
  await browsers.dismiss()
  await expect(page.getByText('1 change is not saved.')).toBeVisible()
  // Sorting keeps the unsaved edits.
  await page.getByRole('columnheader', { name: /^name/ }).getByRole('button').click()
  await expect(page.getByText('1 change is not saved.')).toBeVisible()
  await page.getByRole('link', { name: 'Users', exact: true }).click()
  await asked.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
})

test('a cancelled review returns to the form', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/tables', 'Tables')
  await page.getByRole('button', { name: 'New table' }).click()
  await page.getByLabel('Name', { exact: true }).fill('harbours')
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  const review = page.getByRole('dialog', { name: 'New table harbours' })
  await review.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('harbours')
  // The page shows PostgreSQL's error beside the button.
  await page.getByRole('button', { name: 'Make the table' }).click()
  await expect(page.getByRole('alert')).toContainText('"harbours" already exists')
})

test('the back button asks for confirmation before a form is lost', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/tables', 'Tables')
  await page.getByRole('link', { name: /^boats/ }).click()
  await page.getByRole('button', { name: 'Row', exact: true }).click()
  await page.getByLabel('name', { exact: true }).fill('half of a row')
  await page.goBack()
  const asked = page.getByRole('dialog', { name: 'Leave without saving?' })
  await expect(asked).toContainText('New row of boats')
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByLabel('name', { exact: true })).toHaveValue('half of a row')
  await page.goBack()
  await asked.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Tables' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a wrong URL shows a message and a link to another page', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/policies?edit=%25E0%25A4%25A', 'Policies')
  await open(page, dashboard, '/tables/nowhere', 'Tables')
  await page.getByRole('link', { name: 'The tables of public' }).click()
  await open(page, dashboard, '/tables/public/boats?sort=%5B%22gone%22%2Ctrue%5D', 'boats')
  await expect(page.getByRole('gridcell', { name: 'Boat 1', exact: true })).toBeVisible()
  await open(page, dashboard, '/tables/public/nowhere')
  await expect(page.getByRole('alert')).toContainText('There is no such table')
  // There is no button for a retry, because a retry would give the same error.
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0)
})

test('a double click makes one change', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/tables/public/harbours', 'harbours')
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/sql/run')) sent.push(request.url())
  })
  await page.getByRole('button', { name: 'Row', exact: true }).click()
  await page.getByLabel('id', { exact: true }).fill('71')
  await page.getByLabel('name', { exact: true }).fill('Twice')
  await page.getByRole('button', { name: 'Add the row' }).evaluate((button: HTMLButtonElement) => {
    button.click()
    button.click()
  })
  await expect(page.getByRole('gridcell', { name: 'Twice', exact: true })).toBeVisible()
  expect(sent).toHaveLength(1)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('without a connection no input is lost, and the page continues when the connection is back', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/tables/public/boats', 'boats')
  await expect(grid(page)).toBeVisible()
  await page.getByRole('gridcell', { name: 'Boat 7', exact: true }).dblclick()
  await page.getByRole('textbox', { name: 'name, text' }).fill('Patient')
  await page.keyboard.press('Enter')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('The server cannot be reached')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('The row is changed')).toBeVisible()
})

test('after a restart of the server the page continues unchanged', async ({ browser }) => {
  const schema = 'create table public.boats (id bigint primary key, name text); insert into public.boats values (1, $$Skiff$$);'
  const place = await startProject({ from: null, files: { 'migrations/20260101000000_boats.sql': schema } })
  const owner = await firstOperator(place)
  const context = await newContext(browser)
  const [name, value] = owner.cookie.split('=')
  await context.addCookies([{ name: name ?? '', value: value ?? '', url: `${place.url}/_` }])
  const page = await context.newPage()
  let again: Awaited<ReturnType<typeof start>> | undefined
  try {
    await page.goto(`${place.url}/_/tables/public/boats`)
    await page.getByRole('gridcell', { name: 'Skiff', exact: true }).dblclick()
    await page.getByRole('textbox', { name: 'name, text' }).fill('Yawl')
    await page.keyboard.press('Enter')
    await place.stop()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByRole('alert')).toContainText('The server cannot be reached')
    again = await start(place)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByText('The row is changed')).toBeVisible()
    await expect(page.getByRole('gridcell', { name: 'Yawl', exact: true })).toBeVisible()
  } finally {
    await context.close()
    await (again ?? place).remove()
  }
})

test('a cell keeps its line breaks', async ({ owner: page, dashboard }) => {
  await open(page, dashboard, '/tables/public/boats', 'boats')
  await page.getByRole('gridcell', { name: 'Boat 9', exact: true }).dblclick()
  const cell = page.getByRole('textbox', { name: 'name, text' })
  await cell.fill('first\nsecond')
  await cell.press('End')
  await cell.pressSequentially(' more')
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Show the SQL' }).click()
  await expect(page.getByRole('dialog').getByLabel('SQL', { exact: true })).toHaveValue(/'first\nsecond more'/)
})

test('a column that was dropped while the grid was open is named, and the table can be loaded again', async ({ owner: page, dashboard }) => {
  const run = async (sql: string) => {
    const answer = await page.evaluate(async (sql) => {
      const { csrf } = await (await fetch('/_/api/session')).json()
      const headers = { 'content-type': 'application/json', 'x-cloch-csrf': csrf }
      return (await fetch('/_/api/sql/run', { method: 'POST', headers, body: JSON.stringify({ sql, read_only: false }) })).json()
    }, sql)
    expect(answer.error).toBeNull()
  }
  await open(page, dashboard, '/')
  await run('create table public.moving (id int primary key, old_name text); insert into public.moving values (1, $$here$$)')
  await open(page, dashboard, '/tables/public/moving', 'moving')
  await page.getByRole('gridcell', { name: 'here', exact: true }).dblclick()
  await page.getByRole('textbox', { name: 'old_name, text' }).fill('there')
  await page.keyboard.press('Enter')
  await run('alter table public.moving rename column old_name to new_name')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('alert')).toContainText('no column old_name')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Refresh' }).click()
  await expect(page.getByRole('columnheader', { name: /^new_name/ })).toBeVisible()
  await expect(page.getByRole('gridcell', { name: 'here', exact: true })).toBeVisible()
  await run('drop table public.moving')
})
