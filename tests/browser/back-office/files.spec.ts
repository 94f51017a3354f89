import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import { add, expect, must, test, toast, type Club } from '../support/club.ts'
import { artist, musician, nomination, photographer, png } from '../support/entries.ts'
import { unzipStored } from '../support/zip.ts'

const bucket = 'youth-awards-submissions'
const letter = readFileSync(
  join(resolve(import.meta.dirname, '../../..'), 'supabase-config/demo/objects', bucket, 'young-citizen/finlay-moir/1767225600000-finlay-moir.pdf'),
)

async function store(club: Club, path: string, bytes: Buffer, contentType: string) {
  await must(club.database.storage.from(bucket).upload(path, bytes, { contentType, upsert: true }))
  return path
}

const picture = (club: Club, path: string, bytes = png) => store(club, path, bytes, 'image/png')

test('all files of an entry are downloaded as one archive', async ({ office, club }) => {
  // A gAMA chunk after the PNG header. The server keeps this chunk when it removes metadata.
  const gamma = Buffer.from('gAMA\x00\x00\xb1\x8f', 'latin1')
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(gamma))
  const other = Buffer.concat([png.subarray(0, 33), Buffer.from([0, 0, 0, 4]), gamma, sum, png.subarray(33)])
  const paths = [
    await picture(club, 'artist/zip/1760000000021-one.png'),
    await picture(club, 'artist/zip/1760000000022-two.png', other),
  ]
  const [full, , lost] = await add(club, 'young_artist_entries', [
    { ...artist, entrant_name: 'Zoë O’Neil', uploaded_files: paths },
    { ...artist, entrant_name: 'No Files' },
    { ...artist, entrant_name: 'Lost File', uploaded_files: [paths[0], 'artist/lost/1760000000023-lost.png'] },
  ])
  await office.goto(`/admin?tab=artist&entry=${full?.id}`)
  const download = office.waitForEvent('download')
  await office.getByRole('button', { name: 'Download all' }).click()
  await expect(toast(office, 'Downloaded 2 file(s)')).toBeVisible()
  const saved = await download
  expect(saved.suggestedFilename()).toBe('zo-o-neil.zip')
  const files = unzipStored(readFileSync(await saved.path()))
  expect([...files.keys()]).toEqual(['zo-o-neil-1.png', 'zo-o-neil-2.png'])
  expect(files.get('zo-o-neil-1.png')?.equals(png)).toBe(true)
  expect(files.get('zo-o-neil-2.png')?.equals(other)).toBe(true)

  await office.goto(`/admin?tab=artist&entry=${lost?.id}`)
  await office.getByRole('button', { name: 'Download all' }).click()
  await expect(toast(office, 'Failed to download attachments')).toBeVisible()
  await office.keyboard.press('Escape')
  await office.getByRole('button', { name: 'View: No Files' }).click()
  await office.getByRole('button', { name: 'Download all' }).click()
  await expect(toast(office, 'This entry has no uploaded files')).toContainText('No Attachments')
})

test('only users who may read the files can download the archive', async ({ club }) => {
  const path = await picture(club, 'artist/zip/1760000000021-one.png')
  const ask = (token: string) =>
    fetch(`${club.url}/storage/v1/archive/${bucket}`, {
      method: 'POST',
      headers: { apikey: club.anonKey, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ paths: [path] }),
    })
  const answer = await ask(club.anonKey)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ code: 'NoSuchKey' })
})

test('the dialog shows whether the files have been uploaded', async ({ office, club }) => {
  const path = await picture(club, 'photographer/struan/1760000000031-low-light.png')
  const [whole, half, none] = await add(club, 'young_photographer_entries', [
    { ...photographer, entrant_name: 'Whole', uploaded_files: [path] },
    { ...photographer, entrant_name: 'Half', uploaded_files: [path, 'photographer/struan/1760000000032-gone.png'] },
    { ...photographer, entrant_name: 'None' },
  ])
  const dialog = office.getByRole('dialog')
  await office.goto(`/admin?tab=photographer&entry=${whole?.id}`)
  await expect(dialog).toContainText('The file has arrived.')
  await expect(dialog).toContainText(/low-light\.png · \d+ bytes · arrived/)
  await office.goto(`/admin?tab=photographer&entry=${half?.id}`)
  await expect(dialog).toContainText('1 of 2 files have arrived: ask the entrant for the rest.')
  await expect(dialog).toContainText('gone.png · has not arrived')
  await office.goto(`/admin?tab=photographer&entry=${none?.id}`)
  await expect(dialog).toContainText('This entry has no uploaded files')
})

test('if two entries contain the same file, both show it, regardless of the file’s name', async ({ office, club }) => {
  const bytes = Buffer.concat([png, Buffer.from('twins')])
  const [mine, theirs] = [
    await picture(club, 'artist/mine/1760000000041-sunset.png', bytes),
    await picture(club, 'photographer/theirs/1760000000042-evening.png', bytes),
  ]
  const [art] = await add(club, 'young_artist_entries', { ...artist, uploaded_files: [mine] })
  const [photo] = await add(club, 'young_photographer_entries', { ...photographer, uploaded_files: [theirs] })
  await add(club, 'young_artist_entries', { ...artist, entrant_name: 'Somebody Else' })
  await office.goto('/admin?tab=artist')
  const card = (name: string) => office.getByRole('article').filter({ hasText: name })
  await expect(card('Isla McPhail')).toContainText('Perhaps sent twice')
  await expect(card('Somebody Else')).not.toContainText('Perhaps sent twice')

  await office.goto(`/admin?tab=photographer&entry=${photo?.id}`)
  const dialog = office.getByRole('dialog')
  await expect(dialog).toContainText('The same file is in other entries.')
  await dialog.getByRole('link', { name: /Artist: Isla McPhail/ }).click()
  await expect(office).toHaveURL(new RegExp(`entry=${art?.id}`))
  await expect(office.getByRole('dialog', { name: 'Young Artist Entry: Isla McPhail' })).toContainText('Photographer: Struan Keith')
})

test('a PDF is shown in the browser’s own viewer', async ({ office, club }) => {
  const path = await store(club, 'young-citizen/niamh/1760000000051-letter.pdf', letter, 'application/pdf')
  const [entry] = await add(club, 'young_citizen_nominations', { ...nomination, uploaded_files: [path] })
  // If it has no visible window, some builds of the browser have no PDF viewer. Then the page would not show the button.
  await office.addInitScript(() => {
    Object.defineProperty(navigator, 'pdfViewerEnabled', { get: () => true })
    const make = URL.createObjectURL.bind(URL)
    URL.createObjectURL = (object: Blob) => {
      document.documentElement.dataset.shown = `${object.type} ${object.size}`
      return make(object)
    }
  })
  const refused: string[] = []
  office.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  await office.goto(`/admin?tab=citizen&entry=${entry?.id}`)
  await office.getByRole('button', { name: 'Preview letter.pdf' }).click()
  const frame = office.getByRole('dialog', { name: 'letter.pdf' }).locator('iframe')
  await expect(frame).toHaveAttribute('src', /^blob:/)
  await expect(office.locator('html')).toHaveAttribute('data-shown', `application/pdf ${letter.byteLength}`)
  await office.getByRole('dialog', { name: 'letter.pdf' }).getByRole('button', { name: 'Close' }).click()
  await expect(frame).toHaveCount(0)
  expect(refused).toEqual([])
})

test('a picture is viewed by keyboard: zoom in, zoom out, close', async ({ office, club }) => {
  const path = await picture(club, 'artist/isla/1760000000061-look.png')
  const [entry] = await add(club, 'young_artist_entries', { ...artist, uploaded_files: [path] })
  await office.goto(`/admin?tab=artist&entry=${entry?.id}`)
  await office.getByRole('button', { name: 'Look closely at look.png' }).press('Enter')
  const viewer = office.getByRole('dialog', { name: 'look.png' })
  const shown = viewer.getByRole('img', { name: 'look.png' })
  await expect(shown).toBeVisible()
  const width = async () => (await shown.boundingBox())?.width ?? 0
  const fitting = await width()
  await expect(viewer.getByRole('button', { name: 'Zoom out' })).toBeDisabled()
  await office.keyboard.press('+')
  await expect.poll(width).toBeGreaterThan(fitting * 1.4)
  await office.keyboard.press('0')
  await expect.poll(width).toBe(fitting)
  await office.keyboard.press('Escape')
  await expect(viewer).toHaveCount(0)
  await expect(office.getByRole('dialog', { name: 'Young Artist Entry: Isla McPhail' })).toBeVisible()
})

test('music is played in the dialog', async ({ office, club }) => {
  const path = await store(club, 'musician/rory/1760000000071-air.wav', Buffer.from('RIFF....WAVE'), 'audio/wav')
  const [entry] = await add(club, 'young_musician_entries', { ...musician, uploaded_files: [path] })
  await office.goto(`/admin?tab=musician&entry=${entry?.id}`)
  await expect(office.getByLabel('air.wav')).toHaveAttribute('src', /object\/sign/)
})

test('a printed entry contains the whole entry and nothing else', async ({ office, club }) => {
  const path = await picture(club, 'artist/isla/1760000000081-print.png')
  const [entry] = await add(club, 'young_artist_entries', { ...artist, uploaded_files: [path] })
  await office.goto(`/admin?tab=artist&entry=${entry?.id}`)
  const dialog = office.getByRole('dialog', { name: 'Young Artist Entry: Isla McPhail' })
  await expect(dialog.getByRole('img', { name: 'print.png' })).toBeVisible()
  await expect(dialog.getByText('A visitor added this record').or(dialog.getByText(/added this record/))).toBeVisible()
  await office.evaluate(() => {
    window.print = () => void (document.body.dataset.printed = 'yes')
  })
  await dialog.getByRole('button', { name: 'Print', exact: true }).click()
  await expect(office.locator('body')).toHaveAttribute('data-printed', 'yes')
  await office.emulateMedia({ media: 'print' })
  for (const text of ['Daisies above the pool', 'Acrylic on board', 'family@example.org', 'History']) {
    await expect(dialog.getByText(text).first()).toBeVisible()
  }
  await expect(dialog.getByRole('img', { name: 'print.png' })).toBeVisible()
  await expect(office.getByRole('button', { name: 'Print', exact: true })).toHaveCount(0)
  await expect(office.getByText('1 submissions in total')).toBeHidden()
  // The content is not truncated at the height of the window.
  const heights = await dialog.evaluate((element) => [element.scrollHeight, element.clientHeight])
  expect(heights[0]).toBeLessThanOrEqual((heights[1] ?? 0) + 1)
})

test('a printed list contains all its entries', async ({ office, club }) => {
  await add(club, 'young_artist_entries', Array.from({ length: 60 }, (_, index) => ({ ...artist, entrant_name: `Entrant ${index}` })))
  await office.goto('/admin?tab=artist')
  await expect(office.getByRole('article').first()).toBeVisible()
  expect(await office.getByRole('article').count()).toBeLessThan(60)
  await office.evaluate(() => void window.dispatchEvent(new Event('beforeprint')))
  await expect(office.getByRole('article')).toHaveCount(60)
  await office.evaluate(() => void window.dispatchEvent(new Event('afterprint')))
  await expect(office.getByRole('article')).not.toHaveCount(60)
})

test('a long table renders only rows near the visible area; printed, it contains all rows', async ({ office, club }) => {
  const guests = Array.from({ length: 120 }, (_, index) => ({ name: `Guest ${String(index).padStart(3, '0')}`, status: 'invited' }))
  await add(club, 'invited_guests', guests)
  await office.goto('/admin?tab=guests')
  await expect(office.getByRole('table', { name: 'Guests: Invited' })).toHaveAttribute('aria-rowcount', '121')
  await expect(office.getByRole('row', { name: /Guest 000/ })).toBeVisible()
  await expect(office.getByRole('row', { name: /Guest 119/ })).toHaveCount(0)
  await office.getByText('Total: 120 guests').scrollIntoViewIfNeeded()
  await expect(office.getByRole('row', { name: /Guest 119/ })).toBeVisible()
  await office.evaluate(() => void window.dispatchEvent(new Event('beforeprint')))
  await expect(office.getByRole('row', { name: /Guest \d+/ })).toHaveCount(120)
})
