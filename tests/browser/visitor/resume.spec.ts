/** A large file is uploaded over a connection that breaks during the upload. */
import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { answer, choose, expect, expectToast, rows, stored, test as base } from '../support/site.ts'
import { openCuttableConnection, type CuttableConnection } from '../support/cuttable-connection.ts'
import { signed } from '../support/signatures.ts'

const mega = 1024 * 1024
/** The first chunk has 6 MB, so the connection breaks during the second chunk. */
const size = 9 * mega + 321

const test = base.extend<{ line: CuttableConnection }>({
  line: async ({ site }, use) => {
    const line = await openCuttableConnection(site.url)
    await use(line)
    await line.close()
  },
})

/** Collects the offset of each chunk that the browser sends. */
function beginnings(page: Page): number[] {
  const list: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') list.push(Number(request.headers()['upload-offset']))
  })
  return list
}

async function open(page: Page, line: CuttableConnection) {
  await page.goto(`${line.url}/young-citizen?view=form`)
  await answer(page, {
    'Nominee’s full name': 'Ailsa Sample',
    Age: '17',
    'Parent or guardian’s e-mail': 'parent@example.org',
    'Your name': 'Morag Sample',
    'Your e-mail': 'morag@example.org',
    'Key achievement': 'Ran the beach clean.',
    'Why the nominee deserves the award': 'Nobody asked her to.',
  })
}

const letter = () => ({ name: 'letter.pdf', mimeType: 'application/pdf', buffer: signed('application/pdf', randomBytes(size)) })
const row = (page: Page) => page.getByRole('list', { name: 'Chosen files' }).getByRole('listitem')

test('an upload that loses its connection waits, continues, and is stored byte for byte', async ({ page, context, site, line }) => {
  test.setTimeout(120_000)
  const sent = beginnings(page)
  await open(page, line)
  const file = letter()
  const broken = line.cutAfter(7 * mega)
  await choose(page, [file])
  await broken
  await context.setOffline(true)
  await expect(row(page)).toContainText('Paused: waiting for the network')
  await expect(page.getByText('You are offline.')).toBeVisible()

  // During the upload, the user can fill in the form. The page does not send the form without its file.
  await answer(page, { 'How you know them (optional)': 'Neighbour' })
  await page.getByRole('button', { name: 'Submit Nomination' }).click()
  await expect(page.getByRole('group', { name: /needs? another look/ })).toContainText('Please wait until every file is uploaded')
  expect(await rows(site, 'young_citizen_nominations')).toEqual([])

  line.fix()
  await context.setOffline(false)
  await expectToast(page, 'Upload successful', '1 file(s) uploaded successfully.')
  await expect(row(page)).toContainText('Uploaded')
  expect(sent.length).toBeGreaterThanOrEqual(2)
  expect(Math.min(...sent), 'a piece that had arrived was sent again').toBeGreaterThanOrEqual(6 * mega)

  await page.getByRole('button', { name: 'Submit Nomination' }).click()
  await expectToast(page, 'Nomination Submitted!', 'Thank you')
  const [nomination] = await rows(site, 'young_citizen_nominations')
  const [path] = nomination?.uploaded_files as string[]
  expect((await stored(site, 'youth-awards-submissions', path ?? '')).equals(file.buffer)).toBe(true)
})

test('a short interruption is not reported', async ({ page, site, line }) => {
  test.setTimeout(120_000)
  const sent = beginnings(page)
  await open(page, line)
  const file = letter()
  const broken = line.cutAfter(7 * mega)
  await choose(page, [file])
  await broken
  line.fix()
  await expectToast(page, 'Upload successful', '1 file(s) uploaded successfully.')
  expect(Math.min(...sent)).toBeGreaterThanOrEqual(6 * mega)
  await page.getByRole('button', { name: 'Submit Nomination' }).click()
  await expectToast(page, 'Nomination Submitted!', 'Thank you')
  const [nomination] = await rows(site, 'young_citizen_nominations')
  const [path] = nomination?.uploaded_files as string[]
  expect((await stored(site, 'youth-awards-submissions', path ?? '')).equals(file.buffer)).toBe(true)
})
