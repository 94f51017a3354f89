/** By clicking, the operator makes a bucket keep versions, and adds and removes a lifecycle rule. Storage's own API shows the results. */
import { violations } from '../support/axe.ts'
import { clientOf } from '../support/club.ts'
import { expect, open, settled, signedInViewer, test } from '../support/dashboard.ts'

test('versions are enabled for a bucket, and a replaced file has an earlier version', async ({ owner, dashboard }) => {
  const id = `letters-${Date.now()}`
  const { storage } = clientOf(dashboard.url, dashboard.serviceKey)
  expect((await storage.createBucket(id)).error).toBeNull()
  await open(owner, dashboard, `/files?bucket=${id}`, id)
  await expect(owner.getByText('keeps versions')).toHaveCount(0)
  await owner.getByRole('button', { name: 'Settings', exact: true }).click()
  const dialog = owner.getByRole('dialog', { name: `Bucket ${id}` })
  await dialog.getByLabel('Versions of replaced and deleted files').selectOption({ label: 'kept' })
  expect(await violations(owner)).toEqual([])
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(dialog).toBeHidden()
  await expect(owner.getByText('keeps versions')).toBeVisible()
  for (const text of ['first', 'the second']) {
    const { error } = await storage.from(id).upload('letter.txt', new Blob([text], { type: 'text/plain' }), { upsert: true })
    expect(error).toBeNull()
  }
  await owner.reload()
  await owner.getByRole('button', { name: 'letter.txt', exact: true }).click()
  // The table has its header row, and one row for the former version with its 5 bytes.
  const versions = owner.getByRole('table', { name: 'Versions of letter.txt' })
  await expect(versions.getByRole('row')).toHaveCount(2)
  await expect(versions).toContainText('5 B')
  await owner.keyboard.press('Escape')
  await owner.getByRole('button', { name: 'Settings', exact: true }).click()
  const choice = dialog.getByLabel('Versions of replaced and deleted files')
  await expect(choice.getByRole('option')).toHaveText(['kept', /^suspended/])
  await choice.selectOption('SUSPENDED')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(owner.getByText('versions suspended')).toBeVisible()
})

test('a lifecycle rule is added, visible in the API, and removed; a viewer sees only that there is one', async ({
  owner,
  dashboard,
  browser,
}) => {
  const id = `drafts-${Date.now()}`
  expect((await clientOf(dashboard.url, dashboard.serviceKey).storage.createBucket(id)).error).toBeNull()
  const headers = { authorization: `Bearer ${dashboard.serviceKey}` }
  const rules = async () => {
    const answer = await fetch(`${dashboard.url}/storage/v1/bucket/${id}/lifecycle`, { headers })
    return answer.ok ? ((await answer.json()) as { rules: object[] }).rules : []
  }
  await open(owner, dashboard, `/files?bucket=${id}`, id)
  await owner.getByRole('button', { name: 'Lifecycle rules' }).click()
  const dialog = owner.getByRole('dialog', { name: `Lifecycle rules of ${id}` })
  const add = dialog.getByRole('button', { name: 'Add the rule' })
  await dialog.getByLabel('Only names that begin with (optional)').fill('tmp/')
  await expect(add).toBeDisabled()
  await dialog.getByLabel('Files: delete after days').fill('99999')
  await add.click()
  await expect(dialog.getByRole('alert')).toContainText('a number of days is from 1 to 36500')
  await dialog.getByLabel('Files: delete after days').fill('30')
  await dialog.getByLabel('Unfinished uploads: delete after days').fill('1')
  await dialog.getByLabel('Former versions: delete after days').fill('7')
  await dialog.getByLabel('Former versions of a file to keep (optional)').fill('2')
  await add.click()
  const table = dialog.getByRole('table', { name: `Rules of ${id}` })
  await expect(table).toContainText(
    'files after 30 days; former versions after 7 days, except the newest 2; unfinished uploads after 1 day',
  )
  await settled(owner)
  expect(await violations(owner)).toEqual([])
  expect(await rules()).toEqual([
    {
      id: expect.any(String),
      status: 'Enabled',
      filter: { prefix: 'tmp/' },
      expiration: { days: 30 },
      noncurrentVersionExpiration: { noncurrentDays: 7, newerNoncurrentVersions: 2 },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
    },
  ])
  const viewer = await signedInViewer(owner, browser, dashboard)
  await open(viewer, dashboard, `/files?bucket=${id}`, id)
  await expect(viewer.getByText('1 lifecycle rule')).toBeVisible()
  await expect(viewer.getByRole('button', { name: 'Lifecycle rules' })).toHaveCount(0)
  await viewer.context().close()
  await open(owner, dashboard, `/files?bucket=${id}`, id)
  await owner.getByRole('button', { name: 'Lifecycle rules' }).click()
  await table.getByRole('button', { name: /^Remove the rule for files after 30 days/ }).click()
  await expect(dialog.getByText('There are no rules')).toBeVisible()
  expect(await rules()).toEqual([])
})
