/**
 * A volunteer's week, on a computer and on a phone. The steps are those of docs/volunteers.md: the volunteer adds the speaker of an evening, invites
 * a second administrator, and deletes an entry on a parent's request. Nothing of the entry remains.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { devices, type Browser, type Locator, type Page } from '@playwright/test'

import { authLink, messagesTo, messageTo } from '../../support/inbox.mjs'
import { expect, test, toast, unfold, type Club } from '../support/club.ts'
import { lane } from '../support/lane.ts'
import { signed } from '../support/signatures.ts'
import { answer, choice, choose, file } from '../support/site.ts'

/** Text in the bytes of the entrant's picture. The test searches the disk for this text. */
const picture = 'a wood drawn by Una Quarrie'

const screens = {
  computer: { viewport: { width: 1440, height: 900 } },
  phone: { viewport: devices['Pixel 7'].viewport, hasTouch: true, isMobile: true },
}

/** A page, and a list of the actions that the test has done on it. */
class Hand {
  clicks = 0
  fields = 0
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator) {
    await target.click()
    // A message stays while the pointer is over its place, and covers what is below the message. Therefore the test moves the pointer away.
    await this.page.mouse.move(0, 0)
    this.clicks += 1
  }

  async type(label: string | RegExp, text: string, within: Page | Locator = this.page) {
    await within.getByLabel(label).fill(text)
    this.fields += 1
  }

  button = (name: string | RegExp) => this.page.getByRole('button', { name })
  tab = (name: string | RegExp) => this.page.getByRole('tab', { name })
  dialog = (name: string | RegExp) => this.page.getByRole('dialog', { name })
}

async function newPage(browser: Browser, club: Club, options: object) {
  const context = await browser.newContext({ ...options, baseURL: club.url })
  return context.newPage()
}

/** Sends an artist's entry with a picture through the website's form. Returns the reference that the receipt shows. */
async function enter(page: Page, club: Club, name: string, parent: string) {
  await page.goto('/young-artist?view=form')
  await answer(page, {
    'Entrant’s full name': name,
    Age: '9',
    'School, college or community organisation': 'private entry',
    'Nominee’s name': name,
    'Nominee’s e-mail': parent,
    'How your work relates to the theme, Happiness in Nature': `A wood, by ${name}.`,
    'Parent or guardian’s name': `A parent of ${name}`,
    'Parent or guardian’s e-mail': parent,
  })
  await choice(page, 'Preferred pronouns', 'they/them')
  await choice(page, 'Category', 'Junior')
  await choose(page, [{ ...file('quarrie.png', 'image/png', 0), buffer: signed('image/png', Buffer.from(`12345678 ${picture}`)) }])
  await expect(toast(page, 'Upload successful')).toBeVisible()
  await page.getByRole('button', { name: 'Submit Entry' }).click()
  await expect(toast(page, 'Your entry has been submitted successfully!')).toBeVisible()
  const receipt = await messageTo(club.url, parent)
  const reference = /\b[0-9A-F]{8}\b/.exec(receipt.html ?? receipt.text)?.[0]
  expect(reference, 'the receipt has a reference').toBeDefined()
  return reference ?? ''
}

/** Searches all columns of all tables for a word. Returns the names of the tables that contain it, each with the number of rows. */
function tablesWith(club: Club, word: string): string[] {
  const search = `select format('select %L || count(*) from only %s r where r::text ilike %L having count(*) > 0',
      c.oid::regclass || ' ', c.oid::regclass, '%${word}%')
    from pg_class c where relkind = 'r' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) \\gexec\n`
  const found = execFileSync('psql', [club.keys.DB_URL ?? '', '-qAt', '-v', 'ON_ERROR_STOP=1'], { input: search })
  return found.toString().split('\n').filter(Boolean)
}

/** Returns the files of the object store whose bytes contain a word. */
function filesWith(club: Club, word: string): string[] {
  const found = spawnSync('grep', ['-Rl', word, join(club.data, 'objects')])
  return found.stdout.toString().split('\n').filter(Boolean)
}

/** Returns all traces of an entry: rows of any table with the entrant's name, files with the picture's bytes, and mails to the parent. */
async function traces(club: Club, parent: string) {
  const rows = tablesWith(club, 'quarrie').reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  return { rows, files: filesWith(club, picture).length, mails: (await messagesTo(club.url, parent)).length }
}

const told = (traces: object) =>
  Object.entries(traces)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ')

for (const [screen, options] of Object.entries(screens)) {
  test(`a volunteer's week on a ${screen}`, lane(screen === 'computer'), async ({ club, browser }, info) => {
    test.slow()
    const name = `Una Quarrie of the ${screen}`
    const parent = `quarrie-${screen}@example.org`
    const visitor = await newPage(browser, club, options)
    const reference = await enter(visitor, club, name, parent)
    const before = await traces(club, parent)
    expect(before.rows, 'the search of the whole database finds the entry').toBeGreaterThan(2)
    expect(before.files, 'and that of the disk its picture').toBeGreaterThan(0)
    expect(before.mails, 'and that of the inbox its receipt').toBeGreaterThan(0)
    const counts: string[] = []
    const note = (what: string, hand: Hand) => {
      counts.push(`${screen}: ${what}: ${hand.clicks} clicks, ${hand.fields} fields`)
      hand.clicks = 0
      hand.fields = 0
    }

    const hand = new Hand(await newPage(browser, club, options))
    await hand.page.goto('/auth')
    await hand.type('Email', club.admin.email)
    await hand.type('Password', club.admin.password)
    await hand.click(hand.button('Sign in'))
    await expect(hand.page).toHaveURL('/admin')
    note('sign in', hand)

    await hand.click(hand.tab('Website'))
    await hand.click(hand.tab('Speakers'))
    const pencil = hand.button(/^Edit \d+ \w+ \d{4}$/).nth(2)
    const speaker = `The tides, told on a ${screen}`
    await hand.click(pencil)
    await hand.type('Speaker', speaker, hand.dialog('Edit Evening'))
    await hand.click(hand.button('Save Evening'))
    await expect(toast(hand.page, 'Evening updated successfully')).toBeVisible()
    const opened = hand.page.context().waitForEvent('page')
    await hand.click(hand.page.getByRole('link', { name: 'Preview' }))
    const preview = await opened
    await expect(preview.getByText(speaker)).toBeVisible()
    await preview.close()
    await hand.click(hand.button('Publish'))
    await expect(toast(hand.page, 'The website is published')).toBeVisible()
    await expect(async () => {
      await visitor.goto('/events')
      await expect(visitor.getByText(speaker)).toBeVisible({ timeout: 1000 })
    }).toPass()
    note('change a speaker, preview, publish', hand)

    const second = `second-${screen}@club.example.org`
    await hand.click(hand.tab('People'))
    await expect(hand.page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible()
    await unfold(hand.page)
    await hand.click(hand.button('Invite Admin'))
    await hand.type('Email', second, hand.dialog('Invite Admin'))
    await hand.click(hand.button('Send Invitation'))
    await expect(toast(hand.page, `The invitation was sent to ${second}`)).toBeVisible()
    note('invite a second administrator', hand)
    const theirs = new Hand(await newPage(browser, club, options))
    await theirs.page.goto(authLink(await messageTo(club.url, second)))
    await theirs.type('New password', `a boat on the ${screen} 9`)
    await theirs.type('Confirm password', `a boat on the ${screen} 9`)
    await theirs.click(theirs.button('Set password'))
    await expect(theirs.page).toHaveURL('/admin')
    note('the second administrator, from the mail to the back-office', theirs)
    // The page of the inviting administrator shows the new administrator without a reload: in a table, or on a phone in a list.
    const inTheList = hand.page.getByRole('row').or(hand.page.getByRole('listitem')).filter({ hasText: second })
    await expect(inTheList.filter({ hasText: 'Administrator' })).toBeVisible()

    await hand.click(hand.tab(/^Artist/))
    await hand.type(/^Search/, reference)
    await hand.click(hand.button(`View: ${name}`))
    await hand.click(hand.button('Delete'))
    const deletion = hand.dialog(`Delete this entry: ${name}`)
    await expect(deletion).toContainText('quarrie.png')
    await hand.type(`Type ${name} to confirm`, name, deletion)
    await hand.click(hand.button('Delete for good'))
    await expect(toast(hand.page, 'Entry deleted for good')).toBeVisible()
    await expect(hand.button(`View: ${name}`)).toHaveCount(0)
    note('delete an entry', hand)

    // The deleted data has disappeared from every table, from the object store, from the disk and from the mails.
    await expect.poll(() => tablesWith(club, 'quarrie')).toEqual([])
    const left = await traces(club, parent)
    expect(left, `left after the deletion: ${told(left)}`).toEqual({ rows: 0, files: 0, mails: 0 })
    // The audit log records that an entry was deleted, but contains nothing of the entry's content.
    expect(tablesWith(club, reference)).toEqual(['audit_log 1'])
    for (const page of [hand.page, theirs.page, visitor]) await page.context().close()
    info.annotations.push(
      ...counts.map((description) => ({ type: 'clicks', description })),
      { type: 'traces', description: `${screen}: ${told(before)} before the deletion; ${told(left)} and one line of the log after it` },
    )
  })
}
