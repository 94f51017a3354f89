/** Uses a folder with a built dashboard (CLOCH_TEST_DASHBOARD), to test it without building the program again. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext } from '@playwright/test'

const built = process.env.CLOCH_TEST_DASHBOARD

/** If the folder is set, browsers get the app's files from there, with the server's headers. */
export async function fromBuilt(context: BrowserContext) {
  if (built === undefined) return
  // Chromium does not treat such a page as one of this machine, so it may open no WebSocket to it without this permission.
  await context.grantPermissions(['local-network-access'])
  const pages = new Map<string, Promise<Record<string, string>>>()
  await context.route(/\/_\/(?!api\/|inbox)/, async (route) => {
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
