/**
 * Functions like those of real projects (tests/functions-corpus), with every kind of import and API. The cache is filled first. Then all functions
 * must work although registries and CDNs are unreachable.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

import { createClient, FunctionsFetchError, FunctionsHttpError } from '@supabase/supabase-js'

import { deno } from '../support/deno.mjs'
import { binary, makeProject, start } from '../support/program.mjs'

const corpus = resolve(import.meta.dirname, '../functions-corpus/functions')
const names = readdirSync(corpus).filter((name) => !name.startsWith('_'))
/** Functions that return a stream or need a special body. */
const special = ['events', 'openai-stream', 'form']
const files = {
  'migrations/20260101000000_things.sql': `
    create table public.things (id int primary key); alter table public.things enable row level security; insert into public.things values (7);
    create table public.hidden (id int primary key); alter table public.hidden enable row level security; insert into public.hidden values (1);`,
  'cloch.toml': '[outbound]\nallowed_networks = ["127.0.0.1/32"]\n',
}

let cloch
let client
let service
let url
before(async () => {
  service = await startService()
  const config = `
[edge_runtime.secrets]
MOCK_URL = "${service.url}"
RESEND_API_KEY = "re_x"
[functions.static]
static_files = ["./functions/static/*.html"]
[functions.template]
verify_jwt = false
entrypoint = "./functions/template/index.ts"
import_map = "./functions/template/deno.json"
`
  const place = await makeProject({ from: null, files, change: (text) => text + config })
  cpSync(corpus, join(place.project, 'functions'), { recursive: true })
  const words = ['functions', 'cache', '--project', place.project, '--data', place.data]
  const cached = await promisify(execFile)(binary, words, { env: { ...process.env, CLOCH_DENO: deno } })
  assert.deepEqual(cached.stdout.trim().split('\n').sort(), names.map((name) => `${name}: ready`).sort())
  // From now on, every download fails.
  const nowhere = 'http://127.0.0.1:9'
  cloch = await start(place, { environment: { CLOCH_DENO: deno, NPM_CONFIG_REGISTRY: nowhere, HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere } })
  client = createClient(cloch.url, cloch.anonKey, { auth: { persistSession: false } })
  url = `${cloch.url}/functions/v1`
})
after(async () => {
  await cloch?.remove()
  service?.close()
})

/** Starts a server that simulates Stripe, Resend and the OpenAI protocol. */
async function startService() {
  const asked = []
  const server = createServer((request, response) => {
    asked.push(request.url)
    request.resume()
    if (request.url === '/v1/chat/completions') {
      response.setHeader('content-type', 'text/event-stream')
      for (const content of ['Dear ', 'guest']) {
        response.write(`data: ${JSON.stringify({ id: '1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content } }] })}\n\n`)
      }
      return response.end('data: [DONE]\n\n')
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.url === '/emails' ? { id: 'mail_1' } : { id: 'cs_test', object: 'checkout.session' }))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => server.close() }
}

for (const name of names.filter((name) => !special.includes(name))) {
  test(`${name} responds without the network`, async () => {
    const headers = name === 'template' ? { apikey: cloch.keys.PUBLISHABLE_KEY } : undefined
    const { data, error } = await client.functions.invoke(name, { body: { value: 'x' }, headers })
    assert.equal(error, null, `${await error?.context?.text?.()}`)
    assert.equal(data.ok, true, JSON.stringify(data))
  })
}

test('the newest template refuses a wrong key', async () => {
  const answer = await fetch(`${url}/template`, { method: 'POST', headers: { apikey: 'sb_publishable_wrong' } })
  assert.equal(answer.status, 401)
})

test('streams, forms, texts and files arrive with their types', async () => {
  for (const [name, expected] of [['events', /data: one\n\ndata: two/], ['openai-stream', /Dear .*guest.*\[DONE\]/s]]) {
    const { data } = await client.functions.invoke(name, { body: {} })
    assert.match(await data.text(), expected)
  }
  const form = new FormData()
  form.set('name', 'Eilidh')
  form.set('file', new Blob(['text'], { type: 'text/plain' }), 'a.txt')
  assert.deepEqual((await client.functions.invoke('form', { body: form })).data, { ok: true })
  const deep = await client.functions.invoke('hono-npm/deep/7', { body: new Blob(['bytes']) })
  assert.deepEqual(deep.data, { id: '7' })
})

test('errors have the client’s error classes', async () => {
  const unknown = await client.functions.invoke('nowhere')
  assert.ok(unknown.error instanceof FunctionsHttpError)
  assert.equal(unknown.error.context.status, 404)
  const own = await client.functions.invoke('std-168', { body: 'no JSON' })
  assert.ok(own.error instanceof FunctionsHttpError)
  const { error } = await client.functions.invoke('plain', { body: {}, signal: AbortSignal.abort() })
  assert.ok(error instanceof FunctionsFetchError)
})

test('work after the response reaches its server', async () => {
  for (let tries = 0; tries < 100 && !service.asked.includes('/background'); tries++) await new Promise((done) => setTimeout(done, 50))
  assert.ok(service.asked.includes('/background'))
})
