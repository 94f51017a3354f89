/** A visitor with the link to an entry can see, correct and extend the entry. Visitors without the link cannot. */
import { sendArtistEntry as send } from '../support/artist-form.ts'
import { violations } from '../support/axe.ts'
import { close, open } from '../support/seasons.ts'
import { answer, choose, expect, expectToast, file, mailTo, mailsTo, rows, taken, test } from '../support/site.ts'

test('an entry is opened by its link, corrected, and gets another file; the log contains the earlier values', async ({ page, site, browser }) => {
  const address = await send(page, 'Isla Comes Back')
  const token = /\/my-entry#entry=([0-9a-f]{64})$/.exec(address)?.[1] ?? ''
  expect(token).not.toBe('')
  // Another device.
  const context = await browser.newContext({ baseURL: site.url })
  const other = await context.newPage()
  const problems: string[] = []
  other.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()))
  const addresses: string[] = []
  other.on('request', (request) => addresses.push(request.url().replace(/#.*/, '')))
  await other.goto(address)
  await taken(other)
  await expect(other.getByRole('heading', { name: 'Young Artist entry' })).toBeVisible()
  await expect(other.getByRole('listitem').filter({ hasText: /^first\.png$/ })).toBeVisible()
  await expect(other.getByLabel('Entrant’s full name', { exact: true })).toHaveValue('Isla Comes Back')
  await expect(other.getByRole('radio', { name: 'they/them' })).toBeChecked()
  await answer(other, { 'Entrant’s full name': 'Isla Came Back' })
  await choose(other, [file('second.png', 'image/png', 3000)])
  await expectToast(other, 'Upload successful', '1 file(s)')
  await other.getByRole('button', { name: 'Save the correction' }).click()
  await expectToast(other, 'Correction saved', 'The club has what you have changed.')
  await other.getByRole('button', { name: 'Show the entry' }).click()
  await expect(other.getByLabel('Entrant’s full name', { exact: true })).toHaveValue('Isla Came Back')
  await expect(other.getByRole('listitem').filter({ hasText: /^second\.png$/ })).toBeVisible()
  expect(problems).toEqual([])
  expect(addresses.filter((requested) => requested.includes(token))).toEqual([])
  await context.close()

  const [row] = await rows(site, 'young_artist_entries')
  expect(row?.entrant_name).toBe('Isla Came Back')
  expect(row?.uploaded_files).toHaveLength(2)
  const { data: log } = await site.database.from('audit_log').select('actor_role, changes').eq('record_id', row?.id).eq('action', 'update')
  expect(log).toHaveLength(1)
  expect(log?.[0]).toMatchObject({ actor_role: 'anon', changes: { entrant_name: { from: 'Isla Comes Back', to: 'Isla Came Back' } } })
})

test('two people edit one entry: the second gets a message, and nothing is overwritten', async ({ page, site }) => {
  const address = await send(page, 'Isla Twice')
  await page.goto(address)
  await page.reload()
  await expect(page.getByLabel('Entrant’s full name', { exact: true })).toHaveValue('Isla Twice')
  await page.route('**/rest/v1/rpc/correct_entry', (route) => route.fulfill({ status: 500, json: { message: 'away' } }))
  await answer(page, { 'School, college or community organisation': 'Another' })
  await page.getByRole('button', { name: 'Save the correction' }).click()
  await expectToast(page, 'Error', 'The correction could not be saved. Please try again.')
  await page.unroute('**/rest/v1/rpc/correct_entry')
  await site.database.from('young_artist_entries').update({ school: 'The club knows better' }).eq('entrant_name', 'Isla Twice')
  await page.getByRole('button', { name: 'Save the correction' }).click()
  await expectToast(page, 'Changed meanwhile', 'The club has changed this entry since you opened it.')
  expect((await rows(site, 'young_artist_entries'))[0]?.school).toBe('The club knows better')
})

test('an ended link, a part of a link and a page without a link show no entry', async ({ page, site }) => {
  const address = await send(page, 'Isla Ended')
  const said = page.getByRole('heading', { name: /^(This link opens nothing|Open your entry)$/ })
  await page.goto(address)
  await page.reload()
  await expect(page.getByLabel('Entrant’s full name', { exact: true })).toHaveValue('Isla Ended')
  const { data: entries } = await site.database.from('young_artist_entries').select('id')
  const ended = await site.database.rpc('revoke_entry_links', { award: 'artist', entry: entries?.[0]?.id })
  expect(ended.data).toBe(1)
  await answer(page, { 'Entrant’s full name': 'Isla Too Late' })
  await page.getByRole('button', { name: 'Save the correction' }).click()
  await expectToast(page, 'The link has ended', 'Nothing was changed. Write to the club if something is wrong.')
  expect((await rows(site, 'young_artist_entries'))[0]?.entrant_name).toBe('Isla Ended')
  for (const wrong of [address, address.slice(0, -1), address.replace(/#.*/, ''), `${address.slice(0, -64)}${'0'.repeat(64)}`]) {
    await page.goto('/')
    await page.goto(wrong)
    await expect(said).toBeVisible()
    await expect(page.locator('form[data-form]')).toHaveCount(0)
  }
})

test('a sender who has closed the panel finds the link on a device that stores it, and can delete it from the device', async ({ page, site }) => {
  // If the box is not ticked, the device stores nothing.
  const keep = page.getByRole('checkbox', { name: 'Keep this link on this device' })
  await send(page, 'Isla At School')
  await expect(keep).not.toBeChecked()
  expect(await page.evaluate(() => localStorage.getItem('kept-entries'))).toBeNull()
  expect(await violations(page)).toEqual([])
  await page.goto('/young-artist?view=form')
  await taken(page)
  await expect(page.getByRole('region', { name: 'Sent from this device' })).toHaveCount(0)

  const address = await send(page, 'Isla Closes The Tab')
  await keep.check()
  await page.goto('/young-artist?view=form')
  await taken(page)
  const kept = page.getByRole('region', { name: 'Sent from this device' })
  await expect(kept).toContainText(/You sent a Young Artist entry today at \d\d:\d\d\./)
  expect(await violations(page)).toEqual([])
  // The device stores the link to the entry, and none of the answers. Other forms do not show the link.
  const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }))
  expect(stored).not.toMatch(/Isla|morag|Rory|first/)
  await page.goto('/young-citizen?view=form')
  await taken(page)
  await expect(kept).toHaveCount(0)
  await page.goto('/my-entry')
  await kept.getByRole('link', { name: /^Open a Young Artist entry/ }).click()
  await page.waitForURL(address)
  await expect(page.getByLabel('Entrant’s full name', { exact: true })).toHaveValue('Isla Closes The Tab')

  await page.goto('/young-artist?view=form')
  await kept.getByRole('button', { name: 'This is a shared device: forget it' }).click()
  await expect(kept).toHaveCount(0)
  await page.reload()
  await taken(page)
  await expect(kept).toHaveCount(0)
  expect(await page.evaluate(() => localStorage.getItem('kept-entries'))).toBeNull()

  // If the box is not ticked, the link is deleted from the device. A link that the club has revoked is deleted when it is opened.
  const ended = await send(page, 'Isla Ended')
  await keep.check()
  await keep.uncheck()
  expect(await page.evaluate(() => localStorage.getItem('kept-entries'))).toBeNull()
  await keep.check()
  expect(await page.evaluate(() => localStorage.getItem('kept-entries'))).not.toBeNull()
  const { data: entries } = await site.database.from('young_artist_entries').select('id').eq('entrant_name', 'Isla Ended')
  await site.database.rpc('revoke_entry_links', { award: 'artist', entry: entries?.[0]?.id })
  await page.goto('/')
  await page.goto(ended)
  await expect(page.getByRole('heading', { name: 'This link opens nothing' })).toBeVisible()
  expect(await page.evaluate(() => localStorage.getItem('kept-entries'))).toBeNull()
})

test('after entries have closed, the device deletes the link', async ({ page, site }) => {
  await send(page, 'Isla Last Day')
  await page.getByRole('checkbox', { name: 'Keep this link on this device' }).check()
  await close(site)
  try {
    await page.goto('/')
    await taken(page)
    expect(await page.evaluate(() => localStorage.getItem('kept-entries'))).toBeNull()
    await page.goto('/my-entry')
    await expect(page.getByText(/no entry can be corrected here/)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Send the link' })).toHaveCount(0)
  } finally {
    await open(site)
  }
})

test('a requested link is sent to the address of the entry, and the page shows the same text for every address', async ({ page, site }) => {
  const parent = `morag-${Date.now()}@example.org`
  await site.database.from('young_artist_entries').insert({ entrant_name: 'Isla Asks', age: 9, parent_guardian_email: parent, category: 'Junior' })
  await page.setViewportSize({ width: 360, height: 800 })
  const ask = async (address: string) => {
    await page.goto('/my-entry')
    await taken(page)
    await page.getByLabel('E-mail address').fill(address)
    await page.getByRole('button', { name: 'Send the link' }).click()
  }
  await ask('morag')
  await expect(page.getByRole('alert')).toHaveText('Please enter a valid email address')
  expect(await violations(page)).toEqual([])
  const nobody = `nobody-${Date.now()}@example.org`
  const answers: string[] = []
  for (const address of [nobody, parent]) {
    await ask(address)
    const said = page.getByRole('status').filter({ hasText: 'If there is an entry of this season' })
    answers.push(((await said.textContent()) ?? '').replace(address, 'ADDRESS'))
  }
  expect(answers[0]).toBe(answers[1])
  const mail = await mailTo(site, parent, /^Your link to your entry/)
  expect(mail.html).not.toContain('Isla')
  const link = /href="([^"]*#entry=[0-9a-f]{64})"/.exec(mail.html)?.[1] ?? ''
  await page.goto('/')
  await page.goto(new URL(link).pathname + new URL(link).hash)
  await expect(page.getByLabel('Entrant’s full name', { exact: true })).toHaveValue('Isla Asks')
  // A device that opens a mailed link does not keep it.
  expect(await page.evaluate(() => localStorage.getItem('kept-entries'))).toBeNull()
  expect(await mailsTo(site, nobody)).toEqual([])
})
