/** The operator restores a deleted and a replaced file from a backup by clicking: as another name, and in place. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeProject, start } from '../../support/program.mjs'
import { violations } from '../support/axe.ts'
import { clientOf } from '../support/club.ts'
import { becomeOwner, expect, newContext, open, settled, test } from '../support/dashboard.ts'

const SETUP = `insert into storage.buckets (id, name) values ('papers', 'papers');`

interface Status {
  restorable_from?: string | null
  restorable_until?: string | null
}

test('deleted and replaced files are restored by clicking', async ({ browser }) => {
  test.setTimeout(300_000)
  const place = await makeProject({ from: null, files: { 'migrations/1_storage.sql': SETUP } })
  const settings = `[backup]\nto = "${join(place.folder, 'target')}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n`
  writeFileSync(join(place.project, 'cloch.toml'), settings)
  const cloch = await start(place, { environment: { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' } })
  try {
    const papers = clientOf(cloch.url, cloch.serviceKey).storage.from('papers')
    const text = async (name: string) => (await papers.download(name)).data?.text()
    for (const [name, content] of [['2026/minutes.txt', 'The first minutes'], ['2026/rules.txt', 'The old rules']] as const)
      expect((await papers.upload(name, content, { contentType: 'text/plain' })).error).toBeNull()
    const state = join(place.folder, 'state.json')
    await becomeOwner(browser, cloch.keys.DASHBOARD_LINK, state)
    const dashboard = { url: cloch.url, project: place.project, serviceKey: cloch.serviceKey, anonKey: cloch.anonKey, state }
    const status = (): Status => {
      const file = join(place.data, 'backup/status.json')
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Status) : {}
    }
    // The dialog proposes the first whole second that can be restored. Therefore the test deletes the files after this second.
    const isPast = () => {
      const { restorable_from: from, restorable_until: until } = status()
      return Boolean(from && until) && new Date(until ?? 0).getTime() > new Date(from ?? 0).getTime() + 1000
    }
    await expect.poll(isPast, { timeout: 120_000 }).toBe(true)
    expect((await papers.remove(['2026/minutes.txt'])).error).toBeNull()
    expect((await papers.update('2026/rules.txt', 'The new rules', { contentType: 'text/plain' })).error).toBeNull()

    const context = await newContext(browser, { storageState: state, viewport: { width: 1280, height: 900 } })
    const owner = await context.newPage()
    await open(owner, dashboard, '/files?bucket=papers&prefix=2026/', 'papers')
    await owner.getByRole('button', { name: 'Restore from a backup' }).click()
    const dialog = owner.getByRole('dialog', { name: 'Restore files of 2026/' })
    await dialog.getByRole('button', { name: 'Prepare the copy' }).click()
    const found = dialog.getByRole('table', { name: 'Deleted and replaced files of 2026/' })
    await expect(found.getByRole('row')).toHaveCount(3, { timeout: 120_000 })
    await expect(found.getByRole('row', { name: /minutes\.txt/ })).toContainText('deleted')

    await found.getByLabel('Choose rules.txt').check()
    const what = dialog.getByRole('region', { name: 'What will happen' })
    await expect(what).toContainText('One file is replaced; what they contain now is lost.')
    await what.getByLabel('Restore as').fill('2026/rules (old).txt')
    await expect(what).toContainText('is stored as 2026/rules (old).txt. 2026/rules.txt stays as it is.')
    await settled(owner)
    expect(await violations(owner, 'dialog[open]')).toEqual([])
    await what.getByRole('button', { name: 'Restore the file' }).click()
    await expect(owner.getByText('2026/rules (old).txt is restored')).toBeVisible()
    expect([await text('2026/rules (old).txt'), await text('2026/rules.txt')]).toEqual(['The old rules', 'The new rules'])

    await dialog.getByRole('button', { name: 'Choose all 2' }).click()
    await expect(what).toContainText('One deleted file comes back.')
    await what.getByRole('button', { name: 'Restore 2 files' }).click()
    await expect(owner.getByText('2 files are restored')).toBeVisible()
    await expect(dialog.getByText('No file was deleted or replaced since.')).toBeVisible()
    expect([await text('2026/minutes.txt'), await text('2026/rules.txt')]).toEqual(['The first minutes', 'The old rules'])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(owner.getByRole('button', { name: 'minutes.txt' })).toBeVisible()
    await owner.getByRole('button', { name: 'minutes.txt' }).click()
    await expect(owner.getByRole('dialog').getByRole('button', { name: 'Restore from a backup' })).toBeVisible()
    await context.close()
  } finally {
    await cloch.remove()
  }
})
