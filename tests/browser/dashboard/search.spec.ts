/** The search finds the tables of all schemas of the project, and opens the documentation, to which the navigation links as well. */
import type { Page } from '@playwright/test'
import { expect, open, runSql, test } from '../support/dashboard.ts'

const field = (page: Page) => page.getByRole('combobox', { name: 'Pages, tables and actions' })

test('the search finds the tables of every schema of the project, and none of the platform’s', async ({ owner, dashboard }) => {
  await runSql(owner, dashboard, 'create schema if not exists yard; create table if not exists yard.slips (id int primary key)')
  await open(owner, dashboard, '/users', 'Users')
  await owner.keyboard.press('Control+k')
  await field(owner).fill('yard.slips')
  await expect(owner.getByRole('listbox', { name: 'Found' }).getByRole('option')).toHaveText(['slipsTable in yard'])
  // A table of the auth API.
  await field(owner).fill('refresh_tokens')
  await expect(owner.getByText('Nothing matches.')).toBeVisible()
  await field(owner).fill('slips')
  await field(owner).press('Enter')
  await expect(owner.getByRole('heading', { name: 'slips', level: 1 })).toBeVisible()
  await expect(owner).toHaveURL(/\/tables\/yard\/slips$/)
})

test('the documentation opens from the search and from the navigation', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/users', 'Users')
  const opens = async (press: () => Promise<void>) => {
    const [shown] = await Promise.all([owner.context().waitForEvent('page'), press()])
    await expect(shown).toHaveURL(`${dashboard.url}/_/docs/`)
    await expect(shown.getByRole('heading', { level: 1 })).toContainText('Documentation')
    await shown.close()
  }
  await opens(async () => {
    await owner.keyboard.press('Control+k')
    await field(owner).pressSequentially('documentation')
    await field(owner).press('Enter')
  })
  await opens(() => owner.getByRole('link', { name: 'Documentation' }).click())
})
