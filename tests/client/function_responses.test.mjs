/** Responses of functions without a body. Each response ends at once, also if the function's server sends no Content-Length. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { deno } from '../support/deno.mjs'
import { makeProject, start } from '../support/program.mjs'

/** The function of the project, and another server that keeps its connections open and sends no Content-Length. */
const code = `Deno.serve((request) => {
  const status = Number(new URL(request.url).searchParams.get("status"));
  return new Response(status < 206 || status === 304 ? null : "content", { status, headers: { etag: '"x"' } });
});`
let cloch
let elsewhere
before(async () => {
  elsewhere = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.write('HTTP/1.1 205 Reset Content\r\netag: "x"\r\n\r\n')))
  await new Promise((done) => elsewhere.listen(0, '127.0.0.1', done))
  const place = await makeProject({ from: null, files: { 'functions/own/index.ts': code }, change: (text) => `${text}[functions.own]\nverify_jwt = false\n[functions.elsewhere]\nverify_jwt = false\n` })
  const upstream = `http://127.0.0.1:${elsewhere.address().port}`
  writeFileSync(join(place.project, 'cloch.toml'), `[functions.elsewhere]\nupstream = "${upstream}"\n`)
  cloch = await start(place, { environment: { CLOCH_DENO: deno } })
})
after(async () => {
  await cloch?.remove()
  elsewhere?.close()
})

const call = async (path) => {
  const headers = { apikey: cloch.anonKey, authorization: `Bearer ${cloch.anonKey}` }
  const response = await fetch(`${cloch.url}/functions/v1/${path}`, { headers, signal: AbortSignal.timeout(20_000) })
  return [response.status, response.headers.get('etag'), await response.text()]
}

for (const status of [204, 205, 304, 404]) {
  test(`a function responds with status ${status}`, async () => {
    assert.deepEqual(await call(`own?status=${status}`), [status, '"x"', status === 404 ? 'content' : ''])
  })
}

test('a function returns the status 205 of another server', async () => {
  assert.deepEqual(await call('elsewhere'), [205, '"x"', ''])
})
