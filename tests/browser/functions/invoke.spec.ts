/**
 * A page on another origin calls the functions of a project with the unmodified client. The test checks the received data, and the error class of
 * each kind of failure.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { expect, test as base, type Page } from '@playwright/test'
import type { SupabaseClient } from '@supabase/supabase-js'
import { deno } from '../../support/deno.mjs'
import { startProject } from '../../support/program.mjs'

const cors = `const cors = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "authorization, x-client-info, apikey, content-type" };
const preflight = (request: Request) => request.method === "OPTIONS" && new Response("ok", { headers: cors });\n`
const functions = {
  json: `${cors}Deno.serve(async (request) => preflight(request) || Response.json({ got: await request.json(), type: request.headers.get("content-type") }, { headers: cors }));`,
  form: `${cors}Deno.serve(async (request) => {
    if (request.method === "OPTIONS") return preflight(request) as Response;
    const form = await request.formData();
    const file = form.get("file") as File;
    return Response.json({ name: form.get("name"), file: [file.name, file.type, await file.text()] }, { headers: cors });
  });`,
  blob: `${cors}Deno.serve(async (request) => preflight(request) || new Response(await request.arrayBuffer(), { headers: { ...cors, "content-type": "application/octet-stream" } }));`,
  events: `${cors}let release = () => {};
  Deno.serve(async (request) => {
    if (request.method === "OPTIONS") return preflight(request) as Response;
    if ((await request.json()).release) {
      release();
      return Response.json("released", { headers: cors });
    }
    const released = new Promise<void>((done) => release = done);
    const body = async function* () {
      yield new TextEncoder().encode("data: first\\n\\n");
      await released;
      yield new TextEncoder().encode("data: last\\n\\n");
    };
    return new Response(ReadableStream.from(body()), { headers: { ...cors, "content-type": "text/event-stream" } });
  });`,
  refuses: `${cors}Deno.serve((request) => preflight(request) || Response.json({ reason: "not today" }, { status: 422, headers: cors }));`,
  crashes: `${cors}Deno.serve((request) => preflight(request) || Deno.exit(1));`,
  broken: `import "./nowhere.ts";`,
  relay: `Deno.serve((request) => request.method === "OPTIONS" ? new Response("ok", { headers: { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*, authorization" } }) : new Response("the relay gave up", { status: 200, headers: { "x-relay-error": "true" } }));`,
  page: `Deno.serve((request) => new Response(\`<!doctype html><title>Page</title><p></p><script>
      const told = [location.origin];
      try { told.push(localStorage.getItem("session")); } catch (error) { told.push(error.name); }
      document.querySelector("p").textContent = told.join(" ");
    </script>\`, { headers: {
      "content-type": "text/html",
      ...(new URL(request.url).searchParams.has("own") ? { "content-security-policy": "script-src 'unsafe-inline'" } : {}),
    } }));`,
  closed: `Deno.serve((request) => new Response("no preflight", { status: request.method === "OPTIONS" ? 403 : 200 }));`,
}

declare global {
  interface Window {
    functions: SupabaseClient['functions']
  }
}

const script = readFileSync(join(resolve(import.meta.dirname, '../../node_modules'), '@supabase/supabase-js/dist/umd/supabase.js'))

const test = base.extend<object, { url: string }>({
  url: [
    async ({}, use) => {
      const files = Object.fromEntries(Object.entries(functions).map(([name, code]) => [`functions/${name}/index.ts`, code]))
      const cloch = await startProject({ from: null, files, change: (text: string) => `${text}\n[functions.page]\nverify_jwt = false\n`, environment: { CLOCH_DENO: deno } })
      const page = `<!doctype html><html lang="en"><title>App</title><script src="/supabase.js"></script><script>
        window.functions = supabase.createClient(${JSON.stringify(cloch.url)}, ${JSON.stringify(cloch.anonKey)}).functions</script>`
      const host = createServer((asked, reply) => {
        const isScript = asked.url === '/supabase.js'
        reply.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
        reply.end(isScript ? script : page)
      })
      await new Promise<void>((done) => host.listen(0, '127.0.0.1', done))
      const address = host.address()
      if (typeof address !== 'object' || !address) throw new Error('the page has no port')
      await use(`http://127.0.0.1:${address.port}`)
      host.close()
      await cloch.remove()
    },
    { scope: 'worker' },
  ],
})

/** Calls a function in the page. Returns its data, or the class, status and text of its error. */
const invoke = (page: Page, name: string, body: Record<string, unknown> = {}) =>
  page.evaluate(
    async ([name, body]) => {
      const { data, error } = await window.functions.invoke(name, { body })
      if (!error) return { data }
      const answer = error.context instanceof Response ? { status: error.context.status, text: await error.context.text() } : {}
      return { error: error.name, ...answer }
    },
    [name, body] as const,
  )

test.beforeEach(({ page, url }) => page.goto(url))

test('JSON, forms and files arrive with their types', async ({ page }) => {
  expect(await invoke(page, 'json', { name: 'Eilidh' })).toEqual({ data: { got: { name: 'Eilidh' }, type: 'application/json' } })
  const form = await page.evaluate(async () => {
    const body = new FormData()
    body.set('name', 'Eilidh')
    body.set('file', new Blob(['text'], { type: 'text/plain' }), 'a.txt')
    return (await window.functions.invoke('form', { body })).data
  })
  expect(form).toEqual({ name: 'Eilidh', file: ['a.txt', 'text/plain', 'text'] })
  const bytes = await page.evaluate(async () => {
    const { data } = await window.functions.invoke('blob', { body: new Blob([new Uint8Array([0, 255, 10])]) })
    return [data instanceof Blob, [...new Uint8Array(await data.arrayBuffer())]]
  })
  expect(bytes).toEqual([true, [0, 255, 10]])
})

test('a stream is read while it is written', async ({ page }) => {
  const pieces = await page.evaluate(async () => {
    const { data } = await window.functions.invoke('events', { body: {} })
    const reader = (data as Response).body!.pipeThrough(new TextDecoderStream()).getReader()
    const first = (await reader.read()).value
    // The function writes the second event only after this call. The page has already received the first event, which proves that the response is
    // streamed.
    await window.functions.invoke('events', { body: { release: true } })
    return [first, (await reader.read()).value, (await reader.read()).done]
  })
  expect(pieces).toEqual(['data: first\n\n', 'data: last\n\n', true])
})

test('each failure has the right error class, and its response can be read', async ({ page }) => {
  expect(await invoke(page, 'refuses')).toEqual({ error: 'FunctionsHttpError', status: 422, text: '{"reason":"not today"}' })
  expect(await invoke(page, 'crashes')).toMatchObject({ error: 'FunctionsHttpError', status: 500, text: expect.stringContaining('WORKER_ERROR') })
  expect(await invoke(page, 'broken')).toMatchObject({ error: 'FunctionsHttpError', status: 503, text: expect.stringContaining('BOOT_ERROR') })
  expect(await invoke(page, 'nowhere')).toEqual({ error: 'FunctionsHttpError', status: 404, text: 'Function not found' })
  expect(await invoke(page, 'relay')).toEqual({ error: 'FunctionsRelayError', status: 200, text: 'the relay gave up' })
  expect(await invoke(page, 'closed')).toEqual({ error: 'FunctionsFetchError' })
})

test('an invalid token is refused with an error that the page can read', async ({ page }) => {
  const refused = await page.evaluate(async () => {
    const { error } = await window.functions.invoke('json', { body: {}, headers: { Authorization: 'Bearer nobody' } })
    return [error.name, error.context.status, (await error.context.json()).msg]
  })
  expect(refused).toEqual(['FunctionsHttpError', 401, 'Invalid JWT'])
})

test('a page of a function runs its scripts, but cannot read what the app has stored', async ({ page }) => {
  const functionsUrl = await page.evaluate(() => (window.functions as unknown as { url: string }).url)
  // A document of the same host, as a web app that is served by Cloch.
  await page.goto(new URL('/health', functionsUrl).href)
  await page.evaluate(() => localStorage.setItem('session', 'the app’s'))
  await page.goto(`${functionsUrl}/page`)
  await expect(page.locator('p')).toHaveText(`${new URL(functionsUrl).origin} SecurityError`)
  await page.goto(`${functionsUrl}/page?own`)
  await expect(page.locator('p')).toHaveText(`${new URL(functionsUrl).origin} the app’s`)
})
