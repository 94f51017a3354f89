/**
 * The operator manages jobs and queues by clicking: changes a job, creates a queue, sends a message to the queue and drops it. At the end, the test
 * checks the pages of a viewer.
 */
import type { Page } from '@playwright/test'
import { violations } from '../support/axe.ts'
import { expect, open, runSql, signedInViewer, test } from '../support/dashboard.ts'
import { lane } from '../support/lane.ts'

const review = (page: Page) => page.getByRole('dialog').filter({ has: page.getByLabel('SQL', { exact: true }) })

/** Runs the SQL that the page shows. @param sql the expected SQL */
async function run(page: Page, sql: string | RegExp) {
  await expect(review(page).getByLabel('SQL', { exact: true })).toHaveValue(sql)
  await review(page).getByRole('button', { name: /^Run( and keep)?$/ }).click()
  await expect(review(page)).toHaveCount(0)
}

test('a job is changed: another time, another statement', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/jobs', 'Cron and queues')
  const form = owner.getByRole('dialog', { name: 'Change tidy up' })
  const row = owner.getByRole('row', { name: /tidy up/ })
  const change = async (schedule: string, statement: string, sql: RegExp) => {
    await owner.getByRole('button', { name: 'Change tidy up' }).click()
    // The user has not changed the form yet.
    await expect(form.getByRole('button', { name: 'Show the SQL' })).toBeDisabled()
    await form.getByLabel('When').fill(schedule)
    await form.getByLabel('Statement', { exact: true }).fill(statement)
    expect(await violations(owner)).toEqual([])
    await form.getByRole('button', { name: 'Show the SQL' }).click()
    await run(owner, sql)
    await expect(row).toContainText(schedule)
    await expect(row).toContainText(statement)
  }
  const byName = /^select cron\.alter_job\(\n {2}\(select jobid from cron\.job where jobname = 'tidy up' and username = current_user\),/
  await change('15 4 * * 1', "delete from public.notes where body = ''", byName)
  await change('30 3 * * *', 'delete from public.notes where body is null', byName)
})

for (const width of [768, 900, 1024, 1280])
  test(`every column of the jobs is visible at ${width} px, also with a long name and a run`, lane(width === 900), async ({ owner, dashboard }) => {
    await runSql(owner, dashboard, `select cron.schedule('harbour-readings', '1 second', 'select ''the readings of every harbour on the Clyde''')`)
    await owner.setViewportSize({ width, height: 900 })
    await open(owner, dashboard, '/jobs', 'Cron and queues')
    const row = owner.getByRole('row', { name: /harbour-readings/ })
    await expect(async () => {
      await owner.reload()
      await expect(row).toContainText('succeeded', { timeout: 2000 })
    }).toPass()
    // A longer schedule, and the date of a day that is more than a month away.
    const month = ((new Date().getMonth() + 6) % 12) + 1
    await runSql(owner, dashboard, `select cron.alter_job(jobid, schedule => '30 4 1-7 ${month} 1-5') from cron.job where jobname = 'harbour-readings'`)
    await owner.reload()
    await expect(row).toContainText('1-7')
    // The buttons at the end of a row cover the cells that scroll below them.
    const covered = await row.evaluate((element) => {
      const cells = [...element.children].map((cell) => cell.getBoundingClientRect())
      const buttons = cells.at(-1)?.left ?? 0
      return cells.slice(0, -1).filter(({ right }) => right > buttons + 1).length
    })
    expect(covered).toBe(0)
    const right = await owner.getByRole('table', { name: 'Jobs' }).evaluate((table) => table.getBoundingClientRect().right)
    expect(right).toBeLessThanOrEqual(width)
    await runSql(owner, dashboard, `select cron.unschedule('harbour-readings')`)
  })

test('a queue is created, gets a message, is emptied and dropped', async ({ owner, dashboard }) => {
  await open(owner, dashboard, '/jobs', 'Cron and queues')
  await owner.getByRole('button', { name: 'New queue' }).click()
  await owner.getByLabel('Name', { exact: true }).fill('parcels')
  expect(await violations(owner)).toEqual([])
  await owner.getByRole('button', { name: 'Show the SQL' }).click()
  await run(owner, "select pgmq.create('parcels');")
  await owner.getByRole('button', { name: 'parcels', exact: true }).click()
  const panel = owner.getByRole('dialog', { name: 'parcels' })
  await expect(panel.getByText('There are no messages.')).toBeVisible()
  await panel.getByLabel('Message (JSON)').fill('{"to": ')
  await expect(panel.getByText('This is no JSON.')).toBeVisible()
  await expect(panel.getByRole('button', { name: 'Send' })).toBeDisabled()
  await panel.getByLabel('Message (JSON)').fill(`{"to": "the captain's mate"}`)
  await panel.getByRole('button', { name: 'Send' }).click()
  await expect(panel.getByRole('listitem')).toContainText("the captain's mate")
  await expect(panel.getByLabel('Message (JSON)')).toHaveValue('')
  expect(await violations(owner)).toEqual([])
  await panel.getByRole('button', { name: 'Delete all messages' }).click()
  await run(owner, "select pgmq.purge_queue('parcels');")
  await expect(panel.getByText('There are no messages.')).toBeVisible()
  await panel.getByRole('button', { name: 'Drop the queue' }).click()
  await run(owner, "select pgmq.drop_queue('parcels');")
  await expect(owner.getByRole('button', { name: 'parcels', exact: true })).toHaveCount(0)
})

test('a viewer sees jobs and queues, and cannot change them', async ({ owner, browser, dashboard }) => {
  const viewer = await signedInViewer(owner, browser, dashboard)
  await open(viewer, dashboard, '/jobs', 'Cron and queues')
  await expect(viewer.getByRole('button', { name: 'tidy up' })).toBeVisible()
  for (const name of ['Change tidy up', 'New queue', 'Schedule a statement'])
    await expect(viewer.getByRole('button', { name })).toHaveCount(0)
  await viewer.getByRole('button', { name: 'errands', exact: true }).click()
  await expect(viewer.getByRole('dialog').getByText('the pier')).toBeVisible()
  for (const name of ['Send', 'Drop the queue', 'Delete all messages'])
    await expect(viewer.getByRole('button', { name })).toHaveCount(0)
  await viewer.context().close()
})
