/** The operator restores a deleted row from a backup by clicking. If there is no backup, the dialog describes how to configure one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeProject, start } from '../../support/program.mjs'
import { violations } from '../support/axe.ts'
import { clientOf } from '../support/club.ts'
import { becomeOwner, expect, newContext, open, settled, test } from '../support/dashboard.ts'

const SCHEMA = `
create table public.notes (id bigint primary key, body text not null);
alter table public.notes enable row level security;
insert into public.notes values (1, 'Take the long rope'), (2, 'High at noon');
`

interface Status {
  restorable_from?: string | null
  restorable_until?: string | null
}

test('a deleted row is restored by clicking', async ({ browser }) => {
  test.setTimeout(300_000)
  const place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': SCHEMA } })
  const settings = `[backup]\nto = "${join(place.folder, 'target')}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n`
  writeFileSync(join(place.project, 'cloch.toml'), settings)
  const cloch = await start(place, { environment: { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' } })
  try {
    const state = join(place.folder, 'state.json')
    await becomeOwner(browser, cloch.keys.DASHBOARD_LINK, state)
    const dashboard = { url: cloch.url, project: place.project, serviceKey: cloch.serviceKey, anonKey: cloch.anonKey, state }
    const status = (): Status => {
      const file = join(place.data, 'backup/status.json')
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Status) : {}
    }
    // The dialog proposes the first whole second that can be restored. Therefore the test deletes the row after this second.
    const isPast = () => {
      const { restorable_from: from, restorable_until: until } = status()
      return Boolean(from && until) && new Date(until ?? 0).getTime() > new Date(from ?? 0).getTime() + 1000
    }
    await expect.poll(isPast, { timeout: 120_000 }).toBe(true)
    const notes = clientOf(cloch.url, cloch.serviceKey).from('notes')
    expect((await notes.delete().eq('id', 1)).error).toBeNull()

    const context = await newContext(browser, { storageState: state, viewport: { width: 1280, height: 900 } })
    const owner = await context.newPage()
    await open(owner, dashboard, '/tables/public/notes', 'notes')
    await owner.getByRole('button', { name: 'Restore rows' }).click()
    const dialog = owner.getByRole('dialog', { name: 'Restore rows of notes' })
    await dialog.getByRole('button', { name: 'Prepare the copy' }).click()
    const found = dialog.getByRole('table', { name: 'Deleted and changed rows of notes' })
    await expect(found.getByRole('row')).toHaveCount(2, { timeout: 120_000 })
    await expect(found).toContainText('Take the long rope')
    await settled(owner)
    expect(await violations(owner, 'dialog[open]')).toEqual([])
    await found.getByLabel('Choose 1', { exact: true }).check()
    await dialog.getByRole('button', { name: 'Show the SQL' }).click()
    await expect(dialog.getByRole('region', { name: 'What will run' })).toContainText('insert into "public"."notes" ("id", "body")')
    await dialog.getByRole('button', { name: 'Restore one row' }).click()
    await expect(owner.getByText('One row is restored')).toBeVisible()
    await expect(dialog.getByText('No row was deleted or changed since.')).toBeVisible()
    expect((await notes.select('body').eq('id', 1)).data).toEqual([{ body: 'Take the long rope' }])
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect(owner.getByRole('gridcell', { name: 'Take the long rope' })).toBeVisible()
    await context.close()
  } finally {
    await cloch.remove()
  }
})

test('without a backup, the dialog shows how to configure one', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/tables/public/boats', 'boats')
  await owner.getByRole('button', { name: 'Restore rows' }).click()
  const dialog = owner.getByRole('dialog', { name: 'Restore rows of boats' })
  await expect(dialog.getByText('No backup is configured.')).toBeVisible()
  await expect(dialog.getByRole('region', { name: 'cloch.toml' })).toContainText('[backup]')
})
