/** Scripts in files that visitors upload never run in an origin with the session of the user who opens them. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from '@playwright/test'
import { presignS3 } from '../../support/s3.mjs'
import { launchOptionsWithViewer } from '../support/chromium.ts'
import { add, expect, must, test, type Club } from '../support/club.ts'
import { photographer, png } from '../support/entries.ts'
import { doors, hostile, mark } from '../support/hostile.ts'

// The full browser has the PDF viewer, which could run scripts too.
test.use({ launchOptions: launchOptionsWithViewer })

const bucket = 'youth-awards-submissions'
const demo = join(resolve(import.meta.dirname, '../../..'), 'supabase-config/demo/objects')
const doorCount = Object.keys(doors).length
const letter = readFileSync(join(demo, bucket, 'young-citizen/finlay-moir/1767225600000-finlay-moir.pdf'))
const tune = readFileSync(join(demo, 'music-uploads/skye-buchanan/1767225600000-reel.wav'))

/** Opens a URL in a tab. If the browser downloads or refuses the content, this is not an error. */
async function visit(tab: Page, url: string) {
  await tab.goto(url, { waitUntil: 'load' }).catch((error: Error) => {
    if (!/ERR_ABORTED|Download is starting|ERR_INVALID_RESPONSE/.test(error.message)) throw error
  })
}

/** Opens a URL in a frame on a page of the app. A frame whose content is downloaded never fires its load event. */
async function frame(page: Page, url: string) {
  const saved = new Promise<void>((done) => page.once('download', () => done()))
  const loaded = page.evaluate(async (src) => {
    const { headers } = await fetch(src)
    const frame = document.createElement('iframe')
    const loaded = new Promise((done) => frame.addEventListener('load', done))
    frame.src = src
    document.body.append(frame)
    if (!headers.get('content-disposition')?.startsWith('attachment')) await loaded
  }, url)
  await Promise.race([loaded, saved])
  await page.evaluate(() => document.querySelectorAll('iframe').forEach((frame) => frame.remove()))
}

/** Returns the entries that scripts have written into localStorage. The same localStorage contains the session. */
const stolen = (page: Page) => page.evaluate((mark) => Object.keys(localStorage).filter((key) => key.startsWith(mark)), mark)

/** Creates a public bucket that accepts all file types. */
async function openBucket(club: Club) {
  const { error } = await club.database.storage.createBucket('open', { public: true })
  if (error && !/already exists/.test(error.message)) throw error
}

test('the scripts in these files run where the browser allows it', async ({ office, club }) => {
  await office.goto('/admin')
  const tab = await office.context().newPage()
  const types: Record<string, string> = { html: 'text/html', svg: 'image/svg+xml', xhtml: 'application/xhtml+xml', xml: 'text/xml' }
  for (const [ending, contentType] of Object.entries(types)) {
    const [, body] = hostile.find(([, , of]) => of === ending) ?? []
    const url = `${club.url}/storage/v1/harmful.${ending}`
    await tab.route(url, (route) => route.fulfill({ contentType, body: body?.(ending) }))
    await visit(tab, url)
    // The tabs may run in separate processes, which see changes of each other's storage with a delay.
    await expect.poll(() => stolen(office)).toContain(`${mark} ${ending}`)
  }
})

test('no file can read the session, however it was uploaded and is opened', async ({ office, club }) => {
  await openBucket(club)
  const files = Object.entries(doors).flatMap(([door, upload], place) =>
    hostile.map(([type, body, ending], number) => ({
      // The server responds in the same way however a file was uploaded. Therefore each combination of type and bytes is opened in a tab only once,
      // but in a frame for each way of uploading.
      inTab: number % doorCount === place,
      id: `${door}-${number}`, path: `${door}-${number}.${ending}`, upload, type, body,
    })),
  )
  expect(files.length).toBeGreaterThanOrEqual(100)
  const queue = [...files]
  const worker = async () => {
    for (let file = queue.shift(); file; file = queue.shift())
      await file.upload(club, 'open', file.path, file.type, Buffer.from(file.body(file.id), 'latin1'))
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  const { data: listed } = await club.database.storage.from('open').list('', { limit: 1000 })
  const stored = files.filter(({ path }) => listed?.some(({ name }) => name === path))
  // A plain upload with an invalid media type is refused; all other uploads are accepted.
  expect(stored.length).toBeGreaterThan(150)

  const store = club.database.storage.from('open')
  const links = await must(store.createSignedUrls(stored.map(({ path }) => path), 600))
  await office.goto('/admin')
  const tab = await office.context().newPage()
  for (const [index, { path, id, inTab }] of stored.entries()) {
    const link = links[index]?.signedUrl ?? ''
    if (inTab) await visit(tab, index % 2 ? link : store.getPublicUrl(path).data.publicUrl)
    await frame(office, index % 2 ? store.getPublicUrl(path).data.publicUrl : link)
    expect(await stolen(office), `${id}: ${path}`).toEqual([])
  }
})

test('files cannot read the session through S3 links, renderings and error pages either', async ({ office, club }) => {
  await openBucket(club)
  const [, html] = hostile[0] ?? []
  await doors.plain?.(club, 'open', 'page.png', 'image/png', Buffer.from(html?.('s3') ?? ''))
  await doors.plain?.(club, 'open', 'after.png', 'image/png', Buffer.concat([png, Buffer.from(html?.('render') ?? '')]))
  const store = `${club.url}/storage/v1`
  const text = encodeURIComponent(html?.('error') ?? '')
  const link = (type: string, more = {}) => presignS3(club, '/open/page.png', { 'response-content-type': type, ...more })
  await office.goto('/admin')
  const tab = await office.context().newPage()
  for (const url of [
    link('text/html'),
    link('text/html', { 'response-content-disposition': 'inline' }),
    link('audio/mpeg;a=b, text/html', { 'response-content-disposition': 'inline; filename="a.html"' }),
    link('application/xhtml+xml'),
    link('multipart/x-mixed-replace'),
    `${store}/render/image/public/open/after.png`,
    `${store}/render/image/public/open/page.png`,
    `${store}/object/public/open/${text}`,
    `${store}/object/public/${text}/x`,
    `${store}/s3/open/${text}`,
    `${store}/${text}`,
  ]) {
    await visit(tab, url)
    await frame(office, url)
    expect(await stolen(office), url).toEqual([])
  }
})

test('an admin who opens a stranger’s “picture” in full size keeps the session', async ({ office, club }) => {
  const [, body] = hostile.find(([type]) => type === 'audio/mpeg;, text/html') ?? []
  const path = 'photographer/eve/1760000000099-night.png'
  const sent = await fetch(`${club.url}/storage/v1/object/${bucket}/${path}`, {
    method: 'POST',
    headers: { apikey: club.anonKey, authorization: `Bearer ${club.anonKey}`, 'content-type': 'audio/mpeg; a=b, text/html' },
    body: new Uint8Array(Buffer.from(body?.('full-size') ?? '', 'latin1')),
  })
  expect(sent.status).toBe(200)
  const [entry] = await add(club, 'young_photographer_entries', [{ ...photographer, entrant_name: 'Eve', uploaded_files: [path] }])
  await office.goto(`/admin?tab=photographer&entry=${entry?.id}`)
  const opened = office.context().waitForEvent('page')
  await office.getByRole('link', { name: 'Open Full Size' }).click()
  const tab = await opened
  await tab.waitForLoadState('load')
  expect(await stolen(office)).toEqual([])
})

test('real pictures, texts, sounds and PDFs are shown', async ({ office, club }) => {
  const path = 'photographer/isla/1760000000098-pier.png'
  await must(club.database.storage.from(bucket).upload(path, png, { contentType: 'image/png', upsert: true }))
  const [entry] = await add(club, 'young_photographer_entries', [{ ...photographer, entrant_name: 'Isla', uploaded_files: [path] }])
  await office.goto(`/admin?tab=photographer&entry=${entry?.id}`)
  const opened = office.context().waitForEvent('page')
  await office.getByRole('link', { name: 'Open Full Size' }).click()
  const tab = await opened
  await expect.poll(() => tab.evaluate(() => document.images[0]?.naturalWidth ?? 0)).toBeGreaterThan(0)

  await openBucket(club)
  const store = club.database.storage.from('open')
  const link = async (name: string, body: Buffer | string, contentType: string) => {
    await must(store.upload(name, body, { contentType, upsert: true }))
    return store.getPublicUrl(name).data.publicUrl
  }
  await tab.goto(await link('note.txt', 'Grüße von der Pier', 'text/plain;charset=UTF-8'))
  await expect(tab.locator('pre')).toHaveText('Grüße von der Pier')
  await tab.goto(await link('tune.wav', tune, 'audio/wav'))
  await expect.poll(() => tab.evaluate(() => document.querySelector('video')?.readyState ?? 0)).toBeGreaterThan(0)
  await tab.goto(await link('letter.pdf', letter, 'application/pdf'))
  await expect.poll(() => tab.frames().some((frame) => frame.url().startsWith('chrome-extension://'))).toBe(true)
  // An SVG drawing that the page shows as a picture. The browser does not open it as a document.
  const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>'
  const width = await office.evaluate(
    (src) => new Promise((done) => Object.assign(new Image(), { src, onload: (event: Event) => done((event.target as HTMLImageElement).naturalWidth) })),
    await link('drawing.svg', drawing, 'image/svg+xml'),
  )
  expect(width).toBe(30)
})
