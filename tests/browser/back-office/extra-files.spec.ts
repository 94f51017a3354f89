/**
 * The back-office shows additional files and recordings at the entry with the same name. If there is no such entry, it shows them in a separate list.
 */
import { readFileSync } from 'node:fs'
import { add, expect, must, test, toast, type Club } from '../support/club.ts'
import { artist, musician, png } from '../support/entries.ts'

const wave = Buffer.from('RIFF....WAVE')

async function send(club: Club, kind: 'additional' | 'music', name: string, file: string) {
  const bucket = kind === 'music' ? 'music-uploads' : 'youth-awards-submissions'
  const folder = name.toLowerCase().replaceAll(' ', '-')
  const path = kind === 'music' ? `${folder}/1760000000001-${file}` : `artist/${folder}/1760000000001-${file}`
  const [bytes, contentType] = kind === 'music' ? [wave, 'audio/wav'] : [png, 'image/png']
  await must(club.database.storage.from(bucket).upload(path, bytes, { contentType, upsert: true }))
  await add(club, 'extra_files', { kind, entrant_name: name, uploaded_files: [path] })
}

test.beforeEach(async ({ club }) => {
  await must(club.database.from('extra_files').delete().not('id', 'is', null))
})

test('additional files that match an entry by name are shown at the entry and can be downloaded', async ({ office, club }) => {
  const [entry] = await add(club, 'young_artist_entries', [artist])
  const [player] = await add(club, 'young_musician_entries', [musician])
  await send(club, 'additional', '  isla   McPHAIL ', 'sketch.png')
  await send(club, 'music', 'Rory Sinclair', 'reel.wav')
  await office.goto(`/admin?tab=artist&entry=${entry?.id}`)
  const dialog = office.getByRole('dialog')
  await expect(dialog.getByText('Sent later under this name')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Download reel.wav' })).toHaveCount(0)
  const downloading = office.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download sketch.png' }).click()
  expect(readFileSync((await (await downloading).path()) ?? '')).toEqual(png)
  await expect(toast(office, 'File downloaded successfully')).toBeVisible()

  await office.goto(`/admin?tab=musician&entry=${player?.id}`)
  await expect(dialog.getByRole('button', { name: 'Download reel.wav' })).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Download sketch.png' })).toHaveCount(0)
})

test('the summary lists all additional files: those that match an entry, and those that match none', async ({ office, club }) => {
  await add(club, 'young_artist_entries', artist)
  await send(club, 'additional', 'Isla McPhail', 'sketch.png')
  await send(club, 'music', 'Nobody Known', 'air.wav')
  // Before the table of additional files existed, such a file was only uploaded. It has no row.
  await must(club.database.storage.from('music-uploads').upload('old-name/1760000000001-old.wav', wave, { contentType: 'audio/wav', upsert: true }))
  await office.goto('/admin')
  const list = office.getByRole('region', { name: 'Additional files and recordings' })
  const item = (name: string) => list.getByRole('listitem').filter({ has: office.getByRole('heading', { name }) })
  await expect(item('Nobody Known')).toContainText('No entry has this name.')
  await expect(item('Nobody Known').getByRole('button', { name: 'Download air.wav' })).toBeVisible()
  await expect(list.getByRole('button', { name: 'Download old.wav' })).toBeVisible()
  await item('Isla McPhail').getByRole('button', { name: /Artist: Isla McPhail/ }).click()
  await expect(office.getByRole('dialog', { name: 'Young Artist Entry: Isla McPhail' })).toBeVisible()
})
