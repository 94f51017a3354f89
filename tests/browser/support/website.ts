/** The website tab of the back-office with its parts, the publication, and the pages as visitors see them. */
import type { Browser, Page } from '@playwright/test'
import { expect, toast, type Club } from './club.ts'

/** Opens a page as a visitor without JavaScript sees it. */
export async function plain(browser: Browser, club: Club, path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: club.url, javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(path)
  return page
}

export async function openPart(office: Page, part: string) {
  await office.goto(`/admin?tab=website&part=${part}`)
}

/** Opens the list of changes that will be published. */
export async function openChanges(office: Page) {
  await office.getByText('What publishing will do (').click()
  return office.getByRole('group', { name: 'What publishing will do' })
}

export async function publish(office: Page) {
  // Waits for the response, because the page may still show the message of an earlier publication.
  const published = office.waitForResponse((response) => response.url().endsWith('/rest/v1/rpc/publish_site'))
  await office.getByRole('button', { name: 'Publish' }).click()
  expect((await published).ok()).toBe(true)
  await expect(toast(office, 'The website is published').first()).toBeVisible()
}
