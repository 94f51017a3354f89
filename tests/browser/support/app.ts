/** A small app on the unmodified client, and a server that the app uses for its sign-in. Each Playwright worker has one app and one server. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { test as base, expect, type BrowserContext, type Page } from '@playwright/test'
import type { SupabaseClient } from '@supabase/supabase-js'
import { messageTo } from '../../support/inbox.mjs'
import { startProject } from '../../support/program.mjs'
import { clientOf } from './club.ts'

/** The client's auth flow. The app is served at a path with this name. */
export type Flow = 'implicit' | 'pkce'

export interface App {
  /** URL of the app. It differs from the URL of the server. */
  url: string
  server: string
  admin: SupabaseClient['auth']['admin']
}

declare global {
  interface Window {
    client: SupabaseClient
  }
}

const script = readFileSync(join(resolve(import.meta.dirname, '../../node_modules'), '@supabase/supabase-js/dist/umd/supabase.js'))

const page = (server: string, key: string) => `<!doctype html>
<html lang="en"><title>App</title>
<p>Signed in as <output id="who"></output></p>
<p>Error: <output id="error"></output></p>
<ol id="events"></ol>
<script src="/supabase.js"></script>
<script type="module">
  const flowType = location.pathname.split('/')[1] || 'implicit'
  window.client = supabase.createClient(${JSON.stringify(server)}, ${JSON.stringify(key)}, { auth: { flowType, experimental: { passkey: true } } })
  client.auth.onAuthStateChange((event, session) => {
    events.append(Object.assign(document.createElement('li'), { textContent: event }))
    who.value = session?.user.email ?? 'nobody'
  })
  const { error: failure } = await client.auth.initialize()
  error.value = failure ? (failure.code ?? failure.details?.code ?? failure.name) : 'none'
</script>`

export const test = base.extend<object, { app: App }>({
  app: [
    async ({}, use) => {
      let answer = ''
      const host = createServer((asked, reply) => {
        const isScript = asked.url === '/supabase.js'
        reply.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
        reply.end(isScript ? script : answer)
      })
      await new Promise<void>((done) => host.listen(0, '127.0.0.1', done))
      const address = host.address()
      if (typeof address !== 'object' || !address) throw new Error('the app has no port')
      // The host name is `localhost`, because a passkey belongs to a host name and cannot belong to an IP address.
      const url = `http://localhost:${address.port}`
      const cloch = await startProject({
        from: null,
        change: (config: string) => `${config}
[auth]
site_url = "${url}"
additional_redirect_urls = ["${url}/**"]
[auth.email]
enable_confirmations = true
max_frequency = "0s"
[auth.rate_limit]
email_sent = 1000
[auth.passkey]
enabled = true
[auth.mfa.web_authn]
enroll_enabled = true
verify_enabled = true
[auth.webauthn]
rp_id = "localhost"
rp_display_name = "Club"
rp_origins = ["${url}"]
`,
      })
      answer = page(cloch.url, cloch.anonKey)
      await use({ url, server: cloch.url, admin: clientOf(cloch.url, cloch.serviceKey).auth.admin })
      await cloch.remove()
      host.close()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
export { expect }

/** Opens the app, and waits until it is ready. */
export async function open(context: BrowserContext, app: App, flow: Flow): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${app.url}/${flow}/`)
  await expect(page.locator('#error')).toHaveText('none')
  return page
}

/** Opens the newest matching message in the inbox and clicks its link. Returns the page that opens. */
export async function clickLink(context: BrowserContext, app: App, address: string, subject?: RegExp): Promise<Page> {
  const message = await messageTo(app.server, address, subject)
  const inbox = await context.newPage()
  await inbox.goto(`${app.server}/_/inbox/${message.id}`)
  const opened = context.waitForEvent('page')
  await inbox.frameLocator('iframe').getByRole('link').first().click()
  const page = await opened
  await page.waitForURL((url) => url.origin === app.url)
  await expect(page.locator('#error')).not.toBeEmpty()
  await inbox.close()
  return page
}
