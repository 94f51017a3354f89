/** The operator restores a replaced file and a deleted file by clicking. For buckets without versions, the page does not offer this. */
import { violations } from '../support/axe.ts'
import { clientOf } from '../support/club.ts'
import { expect, open, settled, test } from '../support/dashboard.ts'

test('a replaced file is brought back', async ({ owner, dashboard }) => {
  const kept = clientOf(dashboard.url, dashboard.serviceKey).storage.from('kept')
  const name = `report-${Date.now()}.txt`
  for (const text of ['short', 'a longer text']) {
    const { error } = await kept.upload(name, new Blob([text], { type: 'text/plain' }), { upsert: true })
    expect(error).toBeNull()
  }
  await open(owner, dashboard, '/files?bucket=kept', 'kept')
  await owner.getByRole('button', { name, exact: true }).click()
  const versions = owner.getByRole('table', { name: `Versions of ${name}` })
  await expect(versions.getByRole('row')).toHaveCount(2)
  await settled(owner)
  expect(await violations(owner)).toEqual([])
  await versions.getByRole('button', { name: 'Restore' }).click()
  await expect(owner.getByText(`${name} is restored`)).toBeVisible()
  expect(await (await kept.download(name)).data?.text()).toBe('short')
})

test('a deleted file is restored', async ({ owner, dashboard }) => {
  const kept = clientOf(dashboard.url, dashboard.serviceKey).storage.from('kept')
  const name = `lost/note-${Date.now()}.txt`
  expect((await kept.upload(name, new Blob(['here'], { type: 'text/plain' }))).error).toBeNull()
  expect((await kept.remove([name])).error).toBeNull()
  await open(owner, dashboard, '/files?bucket=kept', 'kept')
  await owner.getByRole('button', { name: 'Deleted files' }).click()
  const dialog = owner.getByRole('dialog', { name: 'Deleted files of kept' })
  await dialog.getByRole('button', { name: `Restore ${name}` }).click()
  await expect(dialog.getByText(name)).toHaveCount(0)
  expect(await (await kept.download(name)).data?.text()).toBe('here')
})

test('a bucket without versions has no buttons for versions', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/files?bucket=pictures&prefix=folder%2F', 'pictures')
  await expect(owner.getByRole('button', { name: 'Deleted files' })).toHaveCount(0)
  await owner.getByRole('button', { name: 'readme.txt', exact: true }).click()
  await expect(owner.getByRole('button', { name: 'Make a link' })).toBeVisible()
  await expect(owner.getByRole('heading', { name: 'Versions' })).toHaveCount(0)
})
