/** A beginner finds the reason why a list is empty, and creates a policy that solves the problem. */
import { violations } from '../support/axe.ts'
import { clientOf } from '../support/club.ts'
import { expect, open, test } from '../support/dashboard.ts'

test('the empty list is explained, a policy is tried, reviewed and kept, and the list is full', async ({ owner, dashboard }) => {
  const anon = clientOf(dashboard.url, dashboard.anonKey)
  expect((await anon.from('notes').select()).data).toEqual([])

  await open(owner, dashboard, '/why', /refused/)
  await owner.getByLabel('Path').fill('/rest/v1/notes?select=*')
  await owner.getByRole('button', { name: 'Ask why' }).click()
  await expect(owner.getByText('The rows are there, and the caller does not see them', { exact: true })).toBeVisible()
  expect(await violations(owner)).toEqual([])
  // In another exposed schema, the same path refers to a different table.
  await owner.getByLabel('Schema').selectOption('graphql_public')
  await owner.getByRole('button', { name: 'Ask why' }).click()
  await expect(owner.getByRole('alert')).toContainText('graphql_public')

  await open(owner, dashboard, '/policies?find=notes', 'Policies')
  const cell = owner.getByRole('table', { name: 'Who may do what with notes' }).getByRole('row', { name: /anon/ }).getByRole('cell').nth(1)
  await expect(cell).toContainText('No row')
  await owner.getByRole('button', { name: 'New policy' }).click()
  await owner.getByLabel('Begin with').selectOption('Everybody may read')
  await owner.getByRole('button', { name: /Try on/ }).click()
  await expect(owner.getByText('It holds for 2 of 2 rows.')).toBeVisible()
  expect(await violations(owner)).toEqual([])
  expect((await anon.from('notes').select()).data).toEqual([])
  await owner.getByRole('button', { name: 'Review SQL' }).click()
  const review = owner.getByRole('dialog', { name: /Add the policy/ })
  await expect(review.getByLabel('SQL')).toHaveValue(/create policy "Everybody may read" on public\.notes/)
  expect(await violations(owner)).toEqual([])
  await review.getByRole('button', { name: 'Run and keep' }).click()
  await expect(owner.getByText('The policy is in force')).toBeVisible()
  await expect(cell).toContainText('Everybody may read')
  expect((await anon.from('notes').select()).data).toHaveLength(2)

  await owner.getByRole('button', { name: 'Remove Everybody may read' }).click()
  await owner.getByRole('dialog').getByRole('button', { name: 'Run and keep' }).click()
  await expect(cell).toContainText('No row')
})

test('a wrong policy says what PostgreSQL says, and changes nothing', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/policies?find=notes&edit=notes', 'Policies')
  await owner.getByLabel('Name').fill('wrong')
  await owner.getByLabel('Rows that are there (using)').fill('no_such_column = 1')
  await owner.getByRole('button', { name: 'Review SQL' }).click()
  const review = owner.getByRole('dialog', { name: /Add the policy/ })
  await review.getByRole('button', { name: 'Run and keep' }).click()
  await expect(review.getByRole('alert')).toContainText('no_such_column')
  await review.getByRole('button', { name: 'Cancel' }).click()
  await owner.keyboard.press('Escape')
  await expect(owner.getByRole('table', { name: 'Policies of notes' })).toBeHidden()
})

test('an advisor’s finding is ignored for a reason, which the project’s file keeps', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/advisors', 'Advisors')
  await owner.getByRole('button', { name: /^Ignore: .*odd name; drop/ }).first().click()
  const dialog = owner.getByRole('dialog', { name: 'Ignore this finding' })
  await expect(dialog.getByRole('button', { name: 'Ignore it' })).toBeDisabled()
  await dialog.getByLabel('Reason').fill('Only the server uses it.')
  expect(await violations(owner)).toEqual([])
  await dialog.getByRole('button', { name: 'Ignore it' }).click()
  await expect(owner.getByText('Because: Only the server uses it.')).toBeVisible()
})

test('an advisor’s finding is fixed by its statement', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/advisors?category=SECURITY', 'Advisors')
  const fix = owner.getByRole('button', { name: /^Fix: .*open_book/ }).first()
  await fix.click()
  const review = owner.getByRole('dialog', { name: /^Fix/ })
  await expect(review.getByLabel('SQL')).toHaveValue(/open_book/)
  await review.getByRole('button', { name: 'Run and keep' }).click()
  await expect(owner.getByText('Fixed')).toBeVisible()
})
