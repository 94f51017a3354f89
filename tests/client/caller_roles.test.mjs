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

import { ListBucketsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
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
/** Roles that the upstream server has received in calls of the two functions. */
const called = []

const migration = `
  create table public.secrets (id int primary key, owner text);
  alter table public.secrets enable row level security;
  insert into public.secrets values (1, 'somebody');
  grant select, insert on public.secrets to anon, authenticated;
  create role helper; grant helper to authenticator;
  create role apart;
  grant select on public.secrets to helper;
  insert into storage.buckets (id, name) values ('files', 'files');`

before(async () => {
  pair = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  server = createServer((asked, reply) => {
    reply.setHeader('content-type', 'application/json')
    if (asked.url.startsWith('/function')) called.push(asked.headers['x-cloch-role'])
    reply.end(JSON.stringify(asked.url === '/keys' ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` }))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  issuer = `http://127.0.0.1:${server.address().port}`
  const files = { 'cloch.toml': `[[auth.issuers]]\nissuer = "${issuer}"\naudience = ["our-api"]\n[functions.closed]\nupstream = "${issuer}/function"\n[functions.open]\nupstream = "${issuer}/function"\n`, 'migrations/20260101000000_secrets.sql': migration }
  const change = (text) => `${text}\n[functions.closed]\nverify_jwt = true\n[functions.open]\nverify_jwt = false\n`
  const places = [await makeProject({ from: null, files, change }), await makeProject({ from: null, files, change })]
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

const refused = [
  'none', 'None', 'postgres', 'supabase_admin', 'authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_read_only_user', 'cloch_server',
  'cloch_operators', 'passes', 'behind', 'apart', 'pg_monitor', 'pg_read_all_data', 'pg_execute_server_program', 'pg_signal_backend', 'nobody',
]
/** Values that are not valid role names. A token without a role belongs to a visitor, so `undefined` is not in this list. */
const malformed = [
  '', ' ', 'anon ', 'ANON', 'anon\0', '\0', 'anon\nauthenticated', '"anon"', 'anon, service_role', "anon'; reset role; --", 'x'.repeat(10_000), 'gr\u00f6\u00dfe', 7, 0, -1, 1e300, true,
  false, [], ['anon'], ['service_role', 'anon'], [['anon']], {}, { role: 'anon' },
]

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
    ['GraphQL', '/graphql/v1', { method: 'POST', body: JSON.stringify({ query: '{ secretsCollection { edges { node { owner } } } }' }) }],
    ['function', '/functions/v1/closed'],
    ['broadcast', '/realtime/v1/api/broadcast', { method: 'POST', body: JSON.stringify({ messages: [{ topic: 'x', event: 'e', payload: {}, private: true }] }) }],
  ]) {
    const answer = await ask(program, bearer, path, options)
    answers[name] = [answer.status, await answer.text()]
  }
  // A session token of S3 is the access token of a user. Key and secret are public.
  const s3 = new S3Client({
    endpoint: `${program.url}/storage/v1/s3`, region: 'local', forcePathStyle: true, maxAttempts: 1,
    credentials: { accessKeyId: program.keys.PROJECT_REF, secretAccessKey: program.anonKey, sessionToken: bearer },
  })
  for (const [name, command] of [['S3 list', new ListBucketsCommand({})], ['S3 upload', new PutObjectCommand({ Bucket: 'files', Key: 'b.txt', Body: 'text' })]]) {
    answers[name] = await s3.send(command).then(
      (answer) => [200, JSON.stringify(answer)],
      (error) => [error.$metadata?.httpStatusCode ?? 0, `${error.name}: ${error.message}`],
    )
  }
  s3.destroy()
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
    const nothing = async (role) => {
      called.length = 0
      const shown = JSON.stringify(role).slice(0, 60)
      const bearer = await token(role)
      const { channel, ...answers } = await everywhere(programs[kind], bearer)
      for (const [name, [status, text]] of Object.entries(answers)) {
        // Storage responds with HTTP status 400, which older clients expect. The real status is in the body.
        assert.ok([400, 401, 403].includes(status), `${shown} ${name}: ${status} ${text}`)
        assert.ok(!text.includes('somebody'), `${shown} ${name}: ${text}`)
      }
      assert.deepEqual(JSON.parse(answers.function[1]), { msg: 'Invalid JWT' }, shown)
      assert.equal(channel[0], 'CHANNEL_ERROR', `${shown}: ${channel}`)
      assert.deepEqual(called, [], shown)
      // A function that requires no token is called nevertheless, as it would be without a token.
      assert.equal((await ask(programs[kind], bearer, '/functions/v1/open')).status, 200, shown)
      assert.deepEqual(called, ['anon'], shown)
    }
    test(`a role of ${vouching} that is not for callers opens nothing (${kind})`, async () => {
      for (const role of refused) await nothing(role)
    })
    test(`a role of ${vouching} that is no name of a role opens nothing (${kind})`, async () => {
      for (const role of malformed) await nothing(role)
    })
  }

  test(`roles of callers work, and row-level security holds (${kind})`, async () => {
    for (const token of [byIssuer, byOwnKey]) {
      for (const role of ['anon', 'authenticated', 'helper']) {
        const answer = await ask(programs[kind], await token(role), '/rest/v1/secrets')
        assert.deepEqual([answer.status, await answer.json()], [200, []], role)
        called.length = 0
        for (const name of ['closed', 'open']) assert.equal((await ask(programs[kind], await token(role), `/functions/v1/${name}`)).status, 200, role)
        assert.deepEqual(called, [role, role])
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
      called.length = 0
      assert.equal((await ask(programs[kind], bearer, '/functions/v1/open')).status, 200)
      assert.deepEqual(called, ['anon'])
      for (const path of ['/auth/v1/admin/users', '/auth/v1/user']) assert.equal((await ask(programs[kind], bearer, path)).status, 403, path)
    }
  })
}

test('the dashboard reads rows, explains requests and tries policies only with roles of callers', async () => {
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
