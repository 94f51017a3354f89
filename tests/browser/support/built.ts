/** Uses a dashboard that was built into a folder (CLOCH_TEST_DASHBOARD), so that a test of the dashboard does not need a new build of the program. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'

const built = process.env.CLOCH_TEST_DASHBOARD

/** If the folder is set, the browser gets the app's files from this folder, and the headers from the server. */
export async function fromBuilt(context: BrowserContext) {
  if (built === undefined) return
  // The page does not come from the server. Therefore Chromium treats it as a page of another machine, and without this permission the page may
  // not open a WebSocket to this machine.
  await context.grantPermissions(['local-network-access'])
  const pages = new Map<string, Promise<Record<string, string>>>()
  await context.route(/\/_\/(?!api\/|docs\/|inbox)/, async (route) => {
    const page = new URL('/_/', route.request().url()).href
    const known = pages.get(page) ?? route.fetch({ url: page, maxRetries: 3 }).then((answer) => answer.headers())
    pages.set(page, known)
    const file = join(built, new URL(route.request().url()).pathname.slice('/_/'.length))
    const isFile = existsSync(file) && statSync(file).isFile()
    const { 'content-type': type, 'content-security-policy': policy = '' } = await known
    const headers = { 'content-security-policy': policy, ...(isFile || type === undefined ? {} : { 'content-type': type }) }
    await route.fulfill({ status: 200, headers, path: isFile ? file : join(built, 'index.html') })
  })
}
