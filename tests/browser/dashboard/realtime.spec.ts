/** The realtime inspector works at a URL that differs from the configured one, and under the page's content security policy. */
import { expect, test } from '../support/operator.ts'

test('a channel is joined from any page, and the server’s error links to the publications', async ({ page, dashboard }) => {
  const url = dashboard.url.replace('127.0.0.1', 'localhost')
  const [name, value] = dashboard.owner.cookie.split('=')
  await page.context().addCookies([{ name: name ?? '', value: value ?? '', url: `${url}/_` }])
  await page.goto(`${url}/_/realtime`)
  await page.getByLabel('Topic').fill('harbour')
  await page.getByLabel('Changes of the table (optional)').fill('boats')
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByText('joined', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Send' }).click()
  const messages = page.getByRole('table', { name: 'Messages of the channel' })
  await expect(messages).toContainText('broadcast hello')
  await expect(messages).toContainText('Unable to subscribe to changes')
  await page.getByRole('link', { name: 'publications of boats' }).click()
  await expect(page.getByRole('table', { name: 'Publications' })).toBeInViewport()
})
