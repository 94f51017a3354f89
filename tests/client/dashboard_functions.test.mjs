/**
 * Functions in the dashboard's API: calls as a chosen caller, statistics and log lines of the functions, source files, and deployments of new
 * versions.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import { firstOperator, invited } from '../support/dashboard.mjs'
import { deno } from '../support/deno.mjs'
import { startProject } from '../support/program.mjs'

const ECHO = `Deno.serve(async (request) => {
  console.log('called at', new URL(request.url).pathname)
  return Response.json({ url: request.url, headers: Object.fromEntries(request.headers), body: await request.text() }, { status: 201 })
})`
const FILE = 'functions/echo/index.ts'

let cloch
let [owner, developer, viewer] = []
before(async () => {
  cloch = await startProject({
    from: null,
    environment: { CLOCH_DENO: deno },
    files: { [FILE]: ECHO, 'functions/.env': 'HIDDEN=in a file of variables\n' },
  })
  owner = await firstOperator(cloch)
  developer = await invited(owner, 'developer')
  viewer = await invited(owner, 'viewer')
})
after(() => cloch?.remove())

const call = async (asked, status = 200) =>
  developer.must('POST', '/functions/echo/call', { as: { role: 'anon' }, method: 'POST', ...asked }, status)
const bodyOf = ({ body }) => JSON.parse(Buffer.from(body, 'base64').toString())
const tokenOf = ({ headers }) => headers.authorization.slice('Bearer '.length)
const claimsOf = (token) => JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())

test('viewers can neither call nor deploy, and read the source without variables', async () => {
  await viewer.must('POST', '/functions/echo/call', { as: { role: 'anon' }, method: 'GET' }, 403)
  await viewer.must('PUT', '/functions/echo/source', { revision: '', files: {} }, 403)
  const source = await viewer.must('GET', '/functions/echo/source')
  assert.deepEqual(source.files.map(({ path }) => path), [FILE])
  assert.deepEqual(source.env_files, ['functions/.env'])
  assert.ok(!JSON.stringify(source).includes('in a file of variables'))
})

test('a new function is deployed from the template; viewers, invalid names and duplicates are refused', async () => {
  await viewer.must('POST', '/functions', { name: 'greet', verify_jwt: false }, 403)
  for (const name of ['', '../greet', '1greet', 'a b']) await developer.must('POST', '/functions', { name, verify_jwt: false }, 400)
  await developer.must('POST', '/functions', { name: 'echo', verify_jwt: false }, 409)
  const made = await developer.must('POST', '/functions', { name: 'greet', verify_jwt: true })
  assert.deepEqual([made.version, made.source, made.verify_jwt, made.is_in_folder], [1, 'deployed', true, false])
  await developer.must('POST', '/functions', { name: 'greet', verify_jwt: false }, 409)
  const greet = (headers) => fetch(`${cloch.url}/functions/v1/greet`, { method: 'POST', headers, body: '{"name":"Clyde"}' })
  assert.equal((await greet({})).status, 401)
  const answer = await greet({ authorization: `Bearer ${cloch.anonKey}` })
  assert.deepEqual(await answer.json(), { message: 'Hello Clyde!' })
})

test('an invalid call is refused', async () => {
  for (const asked of [
    { as: { role: 'postgres' } },
    { as: { role: 'pg_read_all_data' } },
    { as: { user: '00000000-0000-0000-0000-000000000000' } },
    { method: 'CONNECT' },
    { path: 'echo' },
    { path: '/a?b=c' },
    { headers: [['Authorization', 'Bearer x']] },
    { headers: [['apikey', cloch.serviceKey]] },
    { headers: [['no name', 'x']] },
    { headers: [['x-a', 'b\r\nc: d']] },
  ]) {
    const { status, json } = await developer.send('POST', '/functions/echo/call', { as: { role: 'anon' }, method: 'POST', ...asked })
    assert.ok(status === 400 || status === 404, `${JSON.stringify(asked)}: ${status}`)
    assert.equal(typeof json.message, 'string')
  }
})

test('a function gets the call as from a client, and the log lines of the call are shown', async () => {
  const answer = await call({ path: '/below/../here', query: [['a', '1 & 2']], headers: [['X-Boat', 'Waverley']], body: 'words' })
  assert.equal(answer.status, 201)
  assert.equal(answer.ended, 'complete')
  const got = bodyOf(answer)
  assert.ok(got.url.endsWith('?a=1+%26+2'), got.url)
  assert.equal(got.body, 'words')
  assert.equal(got.headers['x-boat'], 'Waverley')
  assert.equal(got.headers['x-request-id'], answer.request_id)
  assert.equal(tokenOf(got), cloch.anonKey)
  const lines = async () => (await developer.must('GET', `/functions/echo/logs?request=${answer.request_id}&start=${answer.started_at}`)).lines
  const end = Date.now() + 10_000
  while (!(await lines()).some(({ request }) => request === answer.request_id)) assert.ok(Date.now() < end, 'the lines of the call')
  await call({ method: 'GET' })
  assert.ok((await lines()).every(({ request }) => request === '' || request === answer.request_id))
})

test('the token of a call expires soon, and is no key of the project', async () => {
  const token = tokenOf(bodyOf(await call({ as: { role: 'service_role' } })))
  assert.notEqual(token, cloch.serviceKey)
  const { role, iat, exp } = claimsOf(token)
  assert.equal(role, 'service_role')
  assert.ok(exp - iat <= 300)
  const claims = claimsOf(tokenOf(bodyOf(await call({ as: { claims: { role: 'authenticated', sub: 'x', exp: 9_999_999_999 } } }))))
  assert.deepEqual([claims.role, claims.sub], ['authenticated', 'x'])
  assert.ok(claims.exp < Date.now() / 1000 + 301)
})

test('calls are counted', async () => {
  const figures = async () => (await viewer.must('GET', '/functions')).find(({ name }) => name === 'echo').figures
  const before = await figures()
  await call({})
  const after = await figures()
  assert.equal(after.calls, before.calls + 1)
  assert.equal(after.failed, before.failed)
  const { p50, p95, p99 } = after.latency
  assert.ok(0 < p50 && p50 <= p95 && p95 <= p99, JSON.stringify(after.latency))
})

test('changed files are deployed once, and never over a version that the operator has not seen', async () => {
  const { revision } = await developer.must('GET', '/functions/echo/source')
  const deploy = (files, status, of = revision) => developer.must('PUT', '/functions/echo/source', { revision: of, files }, status)
  const refused = await deploy({ [FILE]: `import './none.ts'\nDeno.serve(() => new Response('x'))` }, 400)
  assert.match(refused.message, /none\.ts/)
  assert.match(refused.message, /functions\/echo\/index\.ts:1:\d+/)
  for (const path of ['../outside.ts', '/etc/outside.ts', `${FILE}/x.ts`]) await deploy({ [path]: '' }, 400)
  await deploy({ 'functions/echo/missing.ts': null }, 400)
  const { deployed } = await deploy({ [FILE]: `import { word } from './word.ts'\nDeno.serve(() => new Response(word))`, 'functions/echo/word.ts': `export const word = 'second'` }, 200)
  const second = await call({})
  assert.equal(Buffer.from(second.body, 'base64').toString(), 'second')
  const { code } = await deploy({ [FILE]: ECHO }, 409)
  assert.equal(code, 'conflict')
  const source = await developer.must('GET', '/functions/echo/source')
  assert.deepEqual(source.files.map(({ path }) => path), [FILE, 'functions/echo/word.ts'])
  const again = await deploy({ [FILE]: ECHO, 'functions/echo/word.ts': null }, 200, source.revision)
  assert.ok(again.deployed > deployed)
  assert.equal((await call({})).status, 201)
  await developer.must('POST', `/functions/echo/versions/${deployed}`)
  assert.equal(Buffer.from((await call({})).body, 'base64').toString(), 'second')
})
