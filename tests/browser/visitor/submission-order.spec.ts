/**
 * The steps of a submission in order: validate, save the record, call send-email. The server sends exactly one mail, also if a step fails in between.
 */
import type { Page, Request } from '@playwright/test'
import { answer, choose, expect, expectToast, file, mailsTo, rows, test, type Site } from '../support/site.ts'

interface Flow {
  path: string
  table: string
  fill: (page: Page, name: string) => Promise<void>
  submit: string
  to: string[]
  subject: (name: string) => string
  saveFailed: [title: string, sentence: string]
  mailFailed: [title: string, sentence: string]
  done: [title: string, sentence: string]
}

const nomination: Flow = {
  path: '/young-citizen?view=form',
  table: 'young_citizen_nominations',
  fill: (page, name) =>
    answer(page, {
      'Nominee’s full name': name,
      Age: '17',
      'Parent or guardian’s e-mail': 'parent@example.org',
      'Your name': 'Morag Sample',
      'Your e-mail': 'morag@example.org',
      'Key achievement': 'Ran the beach clean.',
      'Why the nominee deserves the award': 'Nobody asked her to.',
    }),
  submit: 'Submit Nomination',
  to: ['awards@example.org'],
  subject: (name) => `Young Citizen Award Nomination - ${name}`,
  saveFailed: ['Error', 'Failed to save nomination. Please try again.'],
  mailFailed: ['Error', 'Failed to submit nomination. Please try again.'],
  done: ['Nomination Submitted!', "Thank you for your nomination. We'll review it carefully."],
}
const additional: Flow = {
  path: '/awards-uploads',
  table: 'extra_files',
  fill: async (page, name) => {
    await answer(page, { 'Name of the entrant': name, 'School or organisation': 'Sample Academy' })
    await choose(page, [file('more.png', 'image/png', 3000)])
    await expectToast(page, 'Upload successful', '1 file(s)')
  },
  submit: 'Submit Files',
  to: ['awards@example.org', 'officer@example.org'],
  subject: (name) => `Youth Awards - Additional Files - ${name}`,
  saveFailed: ['Error', 'Failed to submit files. Please try again.'],
  mailFailed: ['Error', 'Failed to submit files. Please try again.'],
  done: ['Files Submitted Successfully!', "Your additional files have been sent. We'll review them with your original entry."],
}

const sendEmail = '**/functions/v1/send-email'
const failure = { status: 502, contentType: 'application/json', body: '{"error":"not now"}' }
const send = (page: Page, { submit }: Flow) => page.getByRole('button', { name: submit })

/** Returns the requests that save and send, in their order. */
function calls(page: Page, { table }: Flow): Request[] {
  const made: Request[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && (request.url().includes(`/rest/v1/${table}`) || request.url().includes('send-email'))) made.push(request)
  })
  return made
}
const names = (made: Request[]) => made.map((request) => (request.url().includes('send-email') ? 'send-email' : 'insert'))

/** Returns the mails that contain a name, to the first of the flow's addresses. */
const mails = async (site: Site, flow: Flow, name: string) =>
  (await mailsTo(site, flow.to[0] ?? '')).filter(({ subject }: { subject: string }) => subject === flow.subject(name))

/** Waits for the mail, and then checks that no second mail follows. */
async function expectOneMail(site: Site, flow: Flow, name: string) {
  await expect.poll(async () => (await mails(site, flow, name)).length).toBe(1)
  await new Promise((done) => setTimeout(done, 1500))
  expect(await mails(site, flow, name)).toHaveLength(1)
}

for (const [what, flow] of Object.entries({ nomination, 'additional files': additional })) {
  test(`${what}: refused answers send no request; otherwise the record is saved, then send-email is called`, async ({ page, site }) => {
    const made = calls(page, flow)
    await page.goto(flow.path)
    await send(page, flow).click()
    await expectToast(page, 'Missing Information', 'Please fill in all required fields.')
    expect(made).toHaveLength(0)
    await flow.fill(page, 'Ailsa Order')
    await send(page, flow).click()
    await expectToast(page, ...flow.done)
    expect(names(made)).toEqual(['insert', 'send-email'])
    const body = made[1]?.postDataJSON() as Record<string, unknown>
    const [row] = await rows(site, flow.table)
    expect(body).toMatchObject({ to: flow.to, subject: flow.subject('Ailsa Order'), attachments: row?.uploaded_files ?? [], submission: row?.submission_key })
    expect(body.message).toContain('Ailsa Order')
    await expectOneMail(site, flow, 'Ailsa Order')
  })

  test(`${what}: no mail is sent if saving fails`, async ({ page, site }) => {
    const made = calls(page, flow)
    await page.goto(flow.path)
    await flow.fill(page, 'Ailsa Unsaved')
    await page.route(`**/rest/v1/${flow.table}*`, (route) => route.fulfill({ status: 500, contentType: 'application/json', body: '{"message":"down"}' }))
    await send(page, flow).click()
    await expectToast(page, ...flow.saveFailed)
    expect(names(made)).toEqual(['insert'])
    expect(await rows(site, flow.table)).toEqual([])
    expect(await mails(site, flow, 'Ailsa Unsaved')).toEqual([])
  })

  test(`${what}: the record is kept if the call fails; the retry creates no second record and no second mail`, async ({ page, site }) => {
    await page.goto(flow.path)
    await flow.fill(page, 'Ailsa Unsent')
    await page.route(sendEmail, (route) => route.fulfill(failure))
    await send(page, flow).click()
    await expectToast(page, ...flow.mailFailed)
    expect(await rows(site, flow.table)).toHaveLength(1)
    await expectOneMail(site, flow, 'Ailsa Unsent')
    await page.unroute(sendEmail)
    await send(page, flow).click()
    await expectToast(page, ...flow.done)
    expect(await rows(site, flow.table)).toHaveLength(1)
    await expectOneMail(site, flow, 'Ailsa Unsent')
  })
}

test('if the browser is closed before the call, the mail is sent nevertheless', async ({ page, site }) => {
  await page.goto(nomination.path)
  await nomination.fill(page, 'Ailsa Closed')
  const asked = new Promise<void>((done) => void page.route(sendEmail, () => done()))
  await send(page, nomination).click()
  await asked
  await page.close()
  expect(await rows(site, nomination.table)).toHaveLength(1)
  await expectOneMail(site, nomination, 'Ailsa Closed')
})

test('a double click, and a second tab with the same draft, create one record and one mail', async ({ page, context, site }) => {
  await page.goto(nomination.path)
  await nomination.fill(page, 'Ailsa Twice')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('draft:young-citizen') ?? '')).toContain('Nobody asked')
  const second = await context.newPage()
  await second.goto(nomination.path)
  await expect(second.getByLabel('Nominee’s full name')).toHaveValue('Ailsa Twice')
  await Promise.all([send(page, nomination).dblclick(), send(second, nomination).dblclick()])
  await expectToast(page, ...nomination.done)
  await expectToast(second, ...nomination.done)
  expect(await rows(site, nomination.table)).toHaveLength(1)
  await expectOneMail(site, nomination, 'Ailsa Twice')
})
