/**
 * The roles that a token may contain, for every API. The tokens come from another issuer or are signed with the project's own keys. The server runs
 * with the embedded database, and through `CLOCH_DB_URL` with the login of a superuser.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

import { firstOperator, invited } from '../support/dashboard.mjs'
import { makeProject, start } from '../support/program.mjs'

// SQL that creates roles. Only a superuser can create them.
const strongRoles = `
  create role passes bypassrls; grant passes to authenticator;
  create role behind in role passes; grant behind to authenticator;
  grant select, insert on public.secrets to passes, behind;`

const programs = {}
let server
let issuer
let pair

const migration = `
  create table public.secrets (id int primary key, owner text);
  alter table public.secrets enable row level security;
  insert into public.secrets values (1, 'somebody');
  grant select, insert on public.secrets to anon, authenticated;
  create role helper; grant helper to authenticator;
  grant select on public.secrets to helper;
  insert into storage.buckets (id, name) values ('files', 'files');`

before(async () => {
  pair = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  server = createServer((asked, reply) => {
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify(asked.url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  issuer = `http://127.0.0.1:${server.address().port}`
  const files = { 'cloch.toml': `[[auth.issuers]]\nissuer = "${issuer}"\naudience = ["our-api"]\n`, 'migrations/20260101000000_secrets.sql': migration }
  const places = [await makeProject({ from: null, files }), await makeProject({ from: null, files })]
  programs.embedded = await start(places[0])
  mkdirSync(places[1].data, { recursive: true })
  const secrets = join(places[0].data, 'secrets.toml')
  copyFileSync(secrets, join(places[1].data, 'secrets.toml'))
  const database = new URL(programs.embedded.keys.DB_URL)
  database.username = 'supabase_admin'
  database.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(secrets, 'utf8'))[1]
  const made = spawnSync('psql', [database.href, '-Xq', '-v', 'ON_ERROR_STOP=1', '-c', strongRoles], { encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
  programs.superuser = await start(places[1], { environment: { CLOCH_DB_URL: database.href } })
})
after(async () => {
  server?.close()
  await programs.superuser?.remove()
  await programs.embedded?.remove()
})

const byIssuer = (role) =>
  new SignJWT({ role }).setProtectedHeader({ alg: 'ES256', kid: 'one' }).setIssuer(issuer).setSubject('a|1').setAudience('our-api').setIssuedAt().setExpirationTime('5m').sign(pair.privateKey)
const byOwnKey = (role, more = {}) =>
  new SignJWT({ role, ...more })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(new TextEncoder().encode(programs.embedded.keys.JWT_SECRET))

const refused = ['none', 'None', 'postgres', 'supabase_admin', 'authenticator', 'supabase_auth_admin', 'cloch_server', 'cloch_operators', 'passes', 'behind', 'pg_read_all_data', 'nobody']

const ask = (program, bearer, path, options = {}) =>
  fetch(`${program.url}${path}`, { ...options, headers: { apikey: program.anonKey, authorization: `Bearer ${bearer}`, 'content-type': 'application/json', ...options.headers } })

/** Sends a token to each API. Returns the statuses and bodies. */
async function everywhere(program, bearer) {
  const list = { method: 'POST', body: JSON.stringify({ prefix: '' }) }
  const write = { method: 'POST', body: JSON.stringify({ id: Math.ceil(Math.random() * 1e9), owner: 'eve' }) }
  const answers = {}
  for (const [name, path, options] of [
    ['read', '/rest/v1/secrets'],
    ['write', '/rest/v1/secrets', write],
    ['description', '/rest/v1/'],
    ['list', '/storage/v1/object/list/files', list],
    ['buckets', '/storage/v1/bucket'],
    ['upload', '/storage/v1/object/files/a.txt', { method: 'POST', body: 'text', headers: { 'content-type': 'text/plain' } }],
    ['broadcast', '/realtime/v1/api/broadcast', { method: 'POST', body: JSON.stringify({ messages: [{ topic: 'x', event: 'e', payload: {}, private: true }] }) }],
  ]) {
    const answer = await ask(program, bearer, path, options)
    answers[name] = [answer.status, await answer.text()]
  }
  const client = createClient(program.url, program.anonKey, { accessToken: async () => bearer })
  await client.realtime.setAuth()
  answers.channel = await new Promise((done) => {
    const channel = client.channel('rows').on('postgres_changes', { event: '*', schema: 'public', table: 'secrets' }, () => {})
    channel.subscribe((status, error) => ['SUBSCRIBED', 'CHANNEL_ERROR', 'TIMED_OUT'].includes(status) && done([status, String(error)]))
  })
  await client.removeAllChannels()
  return answers
}

for (const kind of ['embedded', 'superuser']) {
  for (const [vouching, token] of Object.entries({ 'another issuer': byIssuer, 'the own key': byOwnKey })) {
    test(`a role of ${vouching} that is not for callers opens nothing (${kind})`, async () => {
      for (const role of refused) {
        const { channel, ...answers } = await everywhere(programs[kind], await token(role))
        for (const [name, [status, text]] of Object.entries(answers)) {
          // Storage responds with HTTP status 400, which older clients expect. The real status is in the body.
          assert.ok([400, 401, 403].includes(status), `${role} ${name}: ${status} ${text}`)
          assert.ok(!text.includes('somebody'), `${role} ${name}: ${text}`)
        }
        assert.equal(channel[0], 'CHANNEL_ERROR', `${role}: ${channel}`)
      }
    })
  }

  test(`roles of callers work, and row-level security holds (${kind})`, async () => {
    for (const token of [byIssuer, byOwnKey]) {
      for (const role of ['anon', 'authenticated', 'helper']) {
        const answer = await ask(programs[kind], await token(role), '/rest/v1/secrets')
        assert.deepEqual([answer.status, await answer.json()], [200, []], role)
      }
    }
  })

  test(`only the project's own keys grant service_role, and no session does (${kind})`, async () => {
    const own = await ask(programs[kind], await byOwnKey('service_role'), '/rest/v1/secrets')
    assert.equal((await own.json()).some(({ owner }) => owner === 'somebody'), true)
    const session = await byOwnKey('service_role', { session_id: crypto.randomUUID(), sub: crypto.randomUUID() })
    for (const bearer of [await byIssuer('service_role'), session]) {
      const { channel, ...answers } = await everywhere(programs[kind], bearer)
      for (const [name, [status, text]] of Object.entries(answers)) assert.ok([400, 401, 403].includes(status), `${name}: ${status} ${text}`)
      assert.equal(channel[0], 'CHANNEL_ERROR')
      for (const path of ['/auth/v1/admin/users', '/auth/v1/user']) assert.equal((await ask(programs[kind], bearer, path)).status, 403, path)
    }
  })
}

test('the dashboard views, asks why and tries policies as roles of callers alone', async () => {
  const developer = await invited(await firstOperator(programs.embedded), 'developer')
  for (const role of refused) {
    const as = { claims: { role } }
    for (const [path, body] of [
      ['/rows/read', { schema: 'public', table: 'secrets', as }],
      ['/why', { as, method: 'GET', path: '/rest/v1/secrets' }],
      ['/policies/try', { schema: 'public', table: 'secrets', using: 'true', as }],
      ['/sql/run', { sql: 'select 1', as }],
    ]) {
      const answer = await developer.send('POST', path, body)
      assert.equal(answer.status, 400, `${role} ${path}: ${answer.text}`)
      assert.match(answer.text, /cannot have this role/, path)
    }
  }
  const { rows } = await developer.must('POST', '/rows/read', { schema: 'public', table: 'secrets', as: { claims: { role: 'helper' } } })
  assert.deepEqual(rows, [])
})
