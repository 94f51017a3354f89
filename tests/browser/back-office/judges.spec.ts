import { add, expect, must, test, toast, type Club } from '../support/club.ts'

async function judge(club: Club, name: string, categories: string[]) {
  const [row] = await add(club, 'judges', { name })
  await must(club.database.from('judge_categories').insert(categories.map((category) => ({ judge_id: row?.id, category }))))
}

test('judges: empty list, refused, added, edited', async ({ office, club }) => {
  await office.goto('/admin?tab=judges')
  await expect(office.getByText('Manage judges for different award categories')).toBeVisible()
  await expect(office.getByText('No judges found')).toBeVisible()
  await office.getByRole('button', { name: 'Add Judge' }).click()
  const dialog = office.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add Judge' }).click()
  await expect(dialog).toContainText('Please select at least one category')
  await dialog.getByLabel('Name').fill('Ishbel Cairns')
  await dialog.getByRole('checkbox', { name: 'Photography' }).check()
  await dialog.getByRole('checkbox', { name: 'Artist' }).check()
  await dialog.getByRole('button', { name: 'Add Judge' }).click()
  await expect(toast(office, 'Judge added successfully')).toBeVisible()
  await expect(office.getByRole('button', { name: 'Photography 1 judge' })).toHaveAttribute('aria-expanded', 'true')
  await expect(office.getByRole('row', { name: /Ishbel Cairns Photography, Artist/ })).toHaveCount(2)

  await office.getByRole('button', { name: 'Edit Ishbel Cairns' }).first().click()
  await office.getByRole('checkbox', { name: 'Artist' }).uncheck()
  await office.getByRole('button', { name: 'Save Judge' }).click()
  await expect(toast(office, 'Judge updated successfully')).toBeVisible()
  await expect(office.getByRole('row', { name: /Ishbel Cairns/ })).toHaveCount(1)
  expect(await must(club.database.from('judge_categories').select('category'))).toEqual([{ category: 'photography' }])
})

test('a judge is deleted and restored', async ({ office, club }) => {
  await judge(club, 'Vikram Sethi', ['music', 'singing'])
  await office.goto('/admin?tab=judges')
  await office.getByRole('button', { name: 'Delete Vikram Sethi' }).first().click()
  await expect(toast(office, 'Judge deleted successfully')).toBeVisible()
  await expect(office.getByText('No judges found')).toBeVisible()
  expect(await must(club.database.from('judges').select('id'))).toHaveLength(0)
  await office.getByRole('button', { name: 'Undo' }).click()
  await expect(office.getByRole('row', { name: /Vikram Sethi Music, Singing/ }).first()).toBeVisible()
  expect(await must(club.database.from('judge_categories').select('category'))).toHaveLength(2)
})

test('if the server refuses a deletion, the judge is shown again with the reason', async ({ office, club }) => {
  await judge(club, 'Vikram Sethi', ['music'])
  await office.goto('/admin?tab=judges')
  await office.route('**/rest/v1/judges*', (route) =>
    route.request().method() === 'DELETE' ? route.fulfill({ status: 500, json: { message: 'no luck' } }) : route.continue(),
  )
  await office.getByRole('button', { name: 'Delete Vikram Sethi' }).click()
  await expect(toast(office, 'Failed to delete judge: no luck')).toBeVisible()
  await expect(office.getByRole('row', { name: /Vikram Sethi/ })).toBeVisible()
})

test('a judge that cannot be saved stays in the form, and nothing of it is saved', async ({ office, club }) => {
  await office.goto('/admin?tab=judges')
  await office.route('**/rest/v1/rpc/save_judge', (route) => route.fulfill({ status: 500, json: { message: 'no luck' } }))
  await office.getByRole('button', { name: 'Add Judge' }).click()
  await office.getByLabel('Name').fill('Lorna Haldane')
  await office.getByRole('checkbox', { name: 'Music' }).check()
  await office.getByRole('dialog').getByRole('button', { name: 'Add Judge' }).click()
  await expect(toast(office, 'Failed to add judge: no luck')).toBeVisible()
  await expect(office.getByLabel('Name')).toHaveValue('Lorna Haldane')
  expect(await must(club.database.from('judges').select('id'))).toHaveLength(0)
})

test('the checklist: added, ticked, edited, deleted, restored', async ({ office, club }) => {
  await office.goto('/admin?tab=checklist')
  await expect(office.getByText('Track items to order and tasks to complete (0/0 complete)')).toBeVisible()
  await office.getByRole('button', { name: 'Add Item' }).click()
  const dialog = office.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Add Item' }).click()
  await expect(dialog).toContainText('Item name is required')
  await dialog.getByLabel('Item name').fill('Order medals')
  await dialog.getByLabel('Due date').fill('2026-11-13')
  await dialog.getByRole('button', { name: 'Add Item' }).click()
  await expect(toast(office, 'Item added successfully')).toBeVisible()
  await expect(office.getByRole('row', { name: /Order medals - Nov 13, 2026 -/ })).toBeVisible()

  // The test calls click() and not check(), because the checkbox shows the stored state, which may be updated a moment after the click.
  await office.getByRole('checkbox', { name: 'Done: Order medals' }).click()
  await expect(office.getByText('(1/1 complete)')).toBeVisible()
  await expect.poll(async () => must(club.database.from('event_checklist_items').select('is_completed'))).toEqual([{ is_completed: true }])
  await expect(office.getByRole('cell', { name: 'Order medals', exact: true })).toHaveCSS('text-decoration-line', 'line-through')

  await office.getByRole('button', { name: 'Edit Order medals' }).click()
  await office.getByLabel('Category').fill('Prizes')
  await office.getByRole('button', { name: 'Save Item' }).click()
  await expect(toast(office, 'Item updated successfully')).toBeVisible()

  // A change that another admin makes at the same time is not lost either.
  await must(club.database.from('event_checklist_items').update({ notes: 'Twelve' }).eq('item_name', 'Order medals').select())
  await office.getByRole('button', { name: 'Delete Order medals' }).click()
  await expect(toast(office, 'Item deleted successfully')).toBeVisible()
  await office.getByRole('button', { name: 'Undo' }).click()
  await expect(office.getByRole('row', { name: /Order medals Prizes .* Twelve/ })).toBeVisible()
})

test('an item that cannot be saved stays in the form', async ({ office }) => {
  await office.goto('/admin?tab=checklist')
  await office.route('**/rest/v1/event_checklist_items*', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 500, json: { message: 'no luck' } }) : route.continue(),
  )
  await office.getByRole('button', { name: 'Add Item' }).click()
  await office.getByLabel('Item name').fill('Order medals')
  await office.getByRole('dialog').getByRole('button', { name: 'Add Item' }).click()
  await expect(toast(office, 'Failed to add item: no luck')).toBeVisible()
  await expect(office.getByLabel('Item name')).toHaveValue('Order medals')
})
