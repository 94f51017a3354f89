/** The requests that each form sends to the server: first the files, then the record, then the call of send-email. The forms send no other writes. */
import type { Locator, Page, Request } from '@playwright/test'
import { expect, rows, test, type Site } from '../support/site.ts'
import { forms, type Step } from '../support/forms.ts'

interface Calls {
  /** The bucket and the folder of the uploaded files. */
  files?: string
  table?: string
  mail?: { to: string | string[]; subject: string; name: string }
}

const club = 'club@example.org'
const awards = 'awards@example.org'
const officer = 'officer@example.org'
const submissions = 'youth-awards-submissions'

const expected: Record<string, Calls> = {
  'Contact Us Form': { mail: { to: club, subject: 'Contact Form Submission from Ailsa Sample', name: 'Ailsa Sample' } },
  'Get Involved Form': { mail: { to: club, subject: 'Contact Form Submission from Ailsa Sample', name: 'Ailsa Sample' } },
  'Corporate membership enquiry': { mail: { to: club, subject: 'Corporate Membership Enquiry from Sample Ltd', name: 'Ailsa Sample' } },
  'Young Citizen nomination': {
    files: `${submissions}/young-citizen/a-sample-group`,
    table: 'young_citizen_nominations',
    mail: { to: [awards], subject: 'Young Citizen Award Nomination - A Sample Group', name: 'Morag Sample' },
  },
  'Young Musician entry': {
    files: `${submissions}/musician/rory-sample`,
    table: 'young_musician_entries',
    mail: { to: [awards], subject: 'Young Musician Entry - Rory Sample', name: 'Rory Sample' },
  },
  'Young Photographer entry': {
    files: `${submissions}/artist/isla-sample`,
    table: 'young_photographer_entries',
    mail: { to: [officer], subject: 'Young Photographer Entry - Isla Sample', name: 'Isla Sample' },
  },
  'Young Artist entry': {
    files: `${submissions}/artist/struan-sample`,
    table: 'young_artist_entries',
    mail: { to: [officer], subject: 'Young Artist Entry - Struan Sample', name: 'Struan Sample' },
  },
  'Additional files': {
    files: `${submissions}/artist/isla-sample`,
    table: 'extra_files',
    mail: { to: [awards, officer], subject: 'Youth Awards - Additional Files - Isla Sample', name: 'Isla Sample' },
  },
  'Music files': { files: 'music-uploads/rory-sample', table: 'extra_files' },
}

/** Records all requests except reads, with the names that the test expects. */
function record(page: Page): { call: string; request: Request }[] {
  const made: { call: string; request: Request }[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (['GET', 'HEAD'].includes(request.method()) || !/^\/(rest|storage|functions|auth)\/v1\//.test(pathname)) return
    const call = decodeURIComponent(pathname)
      .replace(/^\/storage\/v1\/object\/(.*)\/\d{13}-[^/]+$/, 'upload $1')
      .replace(/^\/rest\/v1\//, 'insert ')
      .replace(/^\/functions\/v1\//, '')
    made.push({ call, request })
  })
  return made
}

async function perform(form: Locator, step: Step) {
  if ('field' in step) await form.getByLabel(step.field, { exact: true }).fill(step.type)
  else if ('group' in step) {
    await form.getByRole('group', { name: step.group, exact: true }).getByRole('radio', { name: step.choose, exact: true }).check()
  } else {
    await form.locator('input[type=file]').setInputFiles(step.file)
    await expect(form.getByRole('list', { name: 'Chosen files' })).toContainText(/Uploaded|Ready to upload/)
  }
}

/** Expects that the request has uploaded a file without replacing another one, and that caches may keep the file for an hour. */
async function expectStored(site: Site, request: Request) {
  expect(request.headers()['x-upsert']).toBe('false')
  const [bucket = '', ...path] = decodeURIComponent(new URL(request.url()).pathname).split('/').slice(4)
  const { data, error } = await site.database.storage.from(bucket).info(path.join('/'))
  expect(error).toBeNull()
  expect(data?.cacheControl).toContain('3600')
}

for (const { name, path, open, submit, steps, done } of forms) {
  test(`${name}: its requests`, async ({ page, site }) => {
    const { files, table, mail } = expected[name] ?? {}
    const made = record(page)
    await page.goto(open === undefined ? path : `${path}?view=form`)
    const form = page.getByRole('form', { name, exact: true })
    for (const step of steps) await perform(form, step)
    await form.getByRole('button', { name: submit, exact: true }).click()
    await expect(page.locator('[data-sonner-toast]').filter({ hasText: done })).toBeVisible()
    expect(made.map(({ call }) => call)).toEqual([
      ...(files ? [`upload ${files}`] : []),
      ...(table ? [`insert ${table}`] : []),
      ...(mail ? ['send-email'] : []),
    ])
    const [row] = table ? await rows(site, table) : []
    const [first] = made
    if (files && first) await expectStored(site, first.request)
    if (!mail) return
    const body = made.at(-1)?.request.postDataJSON() as Record<string, unknown>
    expect(body).toMatchObject(row ? { ...mail, attachments: row.uploaded_files, submission: row.submission_key } : mail)
    expect(body.message).toMatch(/^<h2>/)
  })
}
