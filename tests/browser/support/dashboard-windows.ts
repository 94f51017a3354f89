/** Every dialog and panel of the dashboard, with the steps that open it. `windows.spec.ts` compares this list with the app's sources. */
import { expect, type Page } from '@playwright/test'

export interface Window {
  /** The file in web/dashboard/src that renders the dialog. */
  file: string
  name: string
  path: string
  open: (page: Page) => Promise<void>
}

const press = (page: Page, ...names: (string | RegExp)[]) =>
  names.reduce<Promise<void>>(async (before, name) => {
    await before
    await page.getByRole('button', { name, exact: true }).last().click()
  }, Promise.resolve())

/** Returns a function that clicks these buttons one after another. */
const by =
  (...names: (string | RegExp)[]) =>
  (page: Page) =>
    press(page, ...names)

const one = (file: string, name: string, path: string, open: Window['open']): Window => ({ file, name, path, open })

async function chooseCsv(page: Page) {
  await press(page, 'Import')
  const file = { name: 'boats.csv', mimeType: 'text/csv', buffer: Buffer.from('name,mood\nSkiff,calm\n') }
  await page.getByRole('dialog').locator('input[type=file]').setInputFiles(file)
  await expect(page.getByLabel('Column 2')).toHaveValue('=mood')
}

const boats = '/tables/public/boats'

export const windows: readonly Window[] = [
  one('app/shell/CommandPalette.tsx', 'search', '/', (page) => page.keyboard.press('Control+k')),
  one('app/shell/Keys.tsx', 'the keys', '/', (page) => page.keyboard.press('?')),
  one('components/UnsavedGuard.tsx', 'leave without saving', boats, async (page) => {
    await page.getByRole('gridcell', { name: 'Boat 1', exact: true }).dblclick()
    await page.getByRole('textbox', { name: 'name, text' }).fill('Skiff')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Structure', exact: true }).click()
  }),
  one('components/ReviewSql.tsx', 'the SQL of a change', '/policies?find=boats', by('Remove Everybody sees calm boats')),
  one('features/advisors/IgnoreDialog.tsx', 'ignore a finding', '/advisors', by(/^Ignore: /)),
  one('features/advisors/statements/StatementPanel.tsx', 'a slow statement', '/advisors?tab=statements', async (page) => {
    await page.getByRole('table', { name: 'Slow statements' }).getByRole('button').first().click()
  }),
  one('features/advisors/statements/ResetStatistics.tsx', 'reset of the statistics', '/advisors?tab=statements', by('Reset')),
  one('features/files/BucketActions.tsx', 'empty a bucket', '/files?bucket=pictures', by('Empty')),
  one('features/files/BucketActions.tsx', 'remove a bucket', '/files?bucket=pictures', by('Remove')),
  one('features/files/BucketDialog.tsx', 'new bucket', '/files', by('New bucket')),
  one('features/files/LifecycleDialog.tsx', 'lifecycle rules', '/files?bucket=kept', by('Lifecycle rules')),
  one('features/files/BucketView.tsx', 'remove files', '/files?bucket=pictures&prefix=folder%2F', async (page) => {
    await page.getByLabel('Choose readme.txt').check()
    await press(page, 'Remove (1)')
  }),
  one('features/files/RestoreFiles.tsx', 'restore files', '/files?bucket=pictures&prefix=folder%2F', by('Restore from a backup')),
  one('features/files/Deleted.tsx', 'deleted files', '/files?bucket=kept', by('Deleted files')),
  one('features/files/FilePanel.tsx', 'a file', '/files?bucket=pictures&prefix=folder%2F', by('readme.txt', 'Make a link')),
  one('features/functions/Secrets.tsx', 'remove a secret', '/functions', async (page) => {
    if (await page.getByRole('button', { name: 'Remove TIDE' }).isHidden()) {
      await page.getByLabel('Name').fill('TIDE')
      await page.getByLabel('Value').fill('high')
      await press(page, 'Set')
    }
    await press(page, 'Remove TIDE')
  }),
  one('features/functions/NewFunction.tsx', 'new function of the project', '/functions', by('New function')),
  one('features/functions/source/NewFile.tsx', 'new file of a function', '/functions/probe', by('New file')),
  one('features/functions/source/Deploy.tsx', 'changed files of a function', '/functions/probe', async (page) => {
    await page.getByRole('textbox', { name: 'functions/probe/index.ts' }).click()
    await page.keyboard.insertText('// changed\n')
    await press(page, 'Review and deploy (1)')
  }),
  one('features/jobs/CronJobs.tsx', 'runs of a job', '/jobs', by('tidy up')),
  one('features/jobs/NewJob.tsx', 'new job', '/jobs', by('Schedule a statement')),
  one('features/home/ApiKeyDialogs.tsx', 'new API key', '/', by('New API key')),
  one('features/home/ApiKeyDialogs.tsx', 'revoke an API key', '/', by('Revoke publishable')),
  one('features/jobs/NewJob.tsx', 'a job', '/jobs', by('Change tidy up')),
  one('features/jobs/NewQueue.tsx', 'new queue', '/jobs', by('New queue')),
  one('features/jobs/Queues.tsx', 'messages of a queue', '/jobs', by('errands')),
  one('features/logs/LinePanel.tsx', 'a line of the log', '/logs?api=rest', async (page) => {
    await page.getByRole('table', { name: 'Lines of the log' }).getByRole('button').first().click()
  }),
  one('features/mail/MessagePanel.tsx', 'a message', '/mail?to=cy@example.com', async (page) => {
    await page.getByRole('table').getByRole('button').first().click()
    await expect(page.frameLocator('iframe').locator('body')).not.toBeEmpty()
  }),
  one('features/mail/MessagePanel.tsx', 'remove a message', '/mail?to=cy@example.com', async (page) => {
    await page.getByRole('table').getByRole('button').first().click()
    await press(page, 'Remove')
  }),
  one('features/operators/InviteOperator.tsx', 'invite an operator', '/operators', by('Invite an operator')),
  one('features/operators/InviteOperator.tsx', 'the invitation', '/operators', async (page) => {
    await press(page, 'Invite an operator')
    await page.getByLabel('E-mail').fill(`dev-${Date.now()}@example.com`)
    await press(page, 'Make a link')
    await expect(page.getByRole('dialog', { name: 'The invitation' })).toBeVisible()
  }),
  one('features/operators/OperatorPanel.tsx', 'an operator', '/operators', by(/^dev-/)),
  one('features/operators/OperatorPanel.tsx', 'remove an operator', '/operators', by(/^dev-/, 'Remove')),
  one('features/database/Definition.tsx', 'code of a function', '/database/functions?schema=auth', by('uid')),
  one('features/database/SqlForm.tsx', 'new function', '/database/functions', by('New function')),
  one('features/database/SqlForm.tsx', 'new webhook', '/database/webhooks', by('New webhook')),
  one('features/policies/PolicyEditor.tsx', 'new policy', '/policies?find=boats', async (page) => {
    await press(page, 'New policy')
    await page.getByLabel('Begin with').selectOption('Everybody may read')
    await press(page, /^Try on/)
    await expect(page.getByText(/^It holds for/)).toBeVisible()
  }),
  one('features/policies/PolicyEditor.tsx', 'a policy', '/policies?find=boats', by('Edit Everybody sees calm boats')),
  one('features/sql/HistoryPanel.tsx', 'history', '/sql', async (page) => {
    await press(page, 'Run')
    await expect(page.getByText(/^1 result in/)).toBeVisible()
    await press(page, 'History')
  }),
  one('features/sql/SnippetsPanel.tsx', 'snippets', '/sql', by('Snippets')),
  one('features/sql/page.tsx', 'run as', '/sql', by('As postgres')),
  one('features/tables/ColumnPanel.tsx', 'a column', `${boats}?show=structure`, by('Change column name')),
  one('features/tables/ColumnPanel.tsx', 'new column', `${boats}?show=structure`, by('Column')),
  one('features/tables/CopyMenu.tsx', 'rows as code', boats, by('As code')),
  one('features/tables/CsvImport.tsx', 'import', boats, chooseCsv),
  one('components/EnumPanel.tsx', 'values of an enum', `${boats}?show=structure`, by('Values of mood')),
  one('features/tables/NewSchema.tsx', 'new schema', '/tables', async (page) => {
    await press(page, 'New schema')
    await page.getByRole('dialog').getByLabel('Name').fill('reports')
  }),
  one('features/tables/NewTable.tsx', 'new table', '/tables', by('New table')),
  one('features/tables/Preview.tsx', 'the row that a value refers to', boats, async (page) => {
    await page.getByRole('button', { name: 'Show what harbour_id 1 refers to' }).first().click()
  }),
  one('features/tables/ReferencePicker.tsx', 'choose what a value refers to', boats, async (page) => {
    await expect(page.getByRole('gridcell', { name: 'Boat 1', exact: true })).toBeVisible()
    await page.getByRole('grid').focus()
    for (let column = 0; column < 3; column += 1) await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Alt+ArrowDown')
    await expect(page.getByRole('dialog').getByRole('option').first()).toBeVisible()
  }),
  one('features/tables/RenameTable.tsx', 'rename a table', boats, async (page) => {
    await page.getByRole('button', { name: 'Actions of boats' }).and(page.locator(':visible')).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
  }),
  one('features/tables/RestoreRows.tsx', 'restore rows', boats, by('Restore rows')),
  one('features/settings/MailEditor.tsx', 'the editor of a mail', '/settings?group=templates', async (page) => {
    await page.getByText('recovery', { exact: true }).click()
    await page.getByRole('button', { name: 'Edit and preview' }).and(page.locator(':visible')).click()
  }),
  one('features/settings/Review.tsx', 'a change of the settings', '/settings?group=api', async (page) => {
    await page.getByLabel('This dashboard is served').uncheck()
    await press(page, 'Review and save')
  }),
  one('features/tables/NewRow.tsx', 'new row', boats, by('Row')),
  one('features/tables/RowPanel.tsx', 'a row', boats, async (page) => {
    await expect(page.getByRole('gridcell', { name: 'Boat 1', exact: true })).toBeVisible()
    await page.getByRole('grid').focus()
    await page.keyboard.press(' ')
  }),
  one('features/tables/ViewAs.tsx', 'view as', boats, async (page) => {
    await press(page, 'View as')
    await page.getByLabel('View as').last().selectOption('A user…')
  }),
  one('features/users/AddUser.tsx', 'add a user', '/users', by('Add a user')),
  one('features/users/AddUser.tsx', 'invite a user', '/users', by('Invite')),
  one('features/users/UserActions.tsx', 'ban', '/users?search=ada', by('ada@example.com', 'Ban')),
  one('features/users/UserActions.tsx', 'delete', '/users?search=ada', by('ada@example.com', 'Delete')),
  one('features/users/UserActions.tsx', 'set a password', '/users?search=ada', by('ada@example.com', 'Set a password')),
  one('features/users/UserActions.tsx', 'sign in as', '/users?search=ada', async (page) => {
    await press(page, 'ada@example.com', 'Sign in as', 'Make a link')
    await expect(page.getByText('It can be used once.')).toBeVisible()
  }),
  one('features/users/UserPanel.tsx', 'a user', '/users?search=ada', by('ada@example.com')),
]
