/** If the server cannot write to the project's folder, the review of a change shows the lines for the repository, and nothing can be saved. */
import { violations } from '../support/axe.ts'
import { expect, open, settled, test } from '../support/dashboard.ts'

test('a read-only folder: the review shows the lines to paste, and Save is disabled', async ({ owner, dashboard }) => {
  // The test changes only this value in the server's response, because it may run as root, for whom no folder is read-only.
  await owner.route('**/_/api/settings/preview', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...((await response.json()) as object), writable: false } })
  })
  await open(owner, dashboard, '/settings?group=passwords', 'Settings')
  await owner.getByLabel('Minimum length of a password').fill('13')
  await owner.getByRole('button', { name: 'Review and save' }).click()
  const dialog = owner.getByRole('dialog', { name: 'Review the change' })
  await expect(dialog.getByText('The project’s folder is read-only here.')).toBeVisible()
  await expect(dialog.getByRole('region', { name: 'lines of the change' })).toHaveText(
    /^# config\.toml\s*\[auth\]\s*minimum_password_length = 13\s*$/,
  )
  await expect(dialog.getByRole('button', { name: 'Save', exact: true })).toBeDisabled()
  await settled(owner)
  expect(await violations(owner)).toEqual([])
})
