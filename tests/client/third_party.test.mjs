/** Tokens of another issuer, used with every API and the unmodified client (`accessToken`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

import { deno } from '../support/deno.mjs'
import { startProject } from '../support/program.mjs'

// The program verifies the token before it calls the function. It uses the issuer's keys, as for the other APIs.
const whoami = `Deno.serve(async (request) => {
  const headers = { apikey: Deno.env.get("SUPABASE_ANON_KEY")!, authorization: request.headers.get("authorization")! };
  const answer = await fetch(Deno.env.get("SUPABASE_URL")! + "/rest/v1/rpc/whoami", { headers });
  return Response.json({ status: answer.status, claims: await answer.json() });
});`

const root = join(import.meta.dirname, '../..')
let cloch
let server
let issuer
const published = []
const pairs = new Map()

async function newKey(kid) {
  const pair = await generateKeyPair('ES256', { extractable: true })
  pairs.set(kid, pair.privateKey)
  published.push({ ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' })
}

const token = (claims, kid = 'one') =>
  new SignJWT({ role: 'authenticated', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid })
    .setIssuer(claims.iss ?? issuer)
    .setSubject('auth0|ann')
    .setAudience(claims.aud ?? 'our-api')
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(pairs.get(kid))

before(async () => {
  await newKey('one')
  server = createServer((asked, reply) => {
    reply.setHeader('content-type', 'application/json')
    reply.end(JSON.stringify(asked.url === '/keys' ? { keys: published } : { issuer, jwks_uri: `${issuer}/keys` }))
  })
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  issuer = `http://127.0.0.1:${server.address().port}`
  cloch = await startProject({
    from: null,
    environment: { CLOCH_DENO: deno },
    files: {
      'functions/whoami/index.ts': whoami,
      'cloch.toml': `[[auth.issuers]]\nissuer = "${issuer}"\naudience = ["our-api"]\n`,
      'migrations/20260101000000_notes.sql': `
        create function public.whoami() returns jsonb language sql stable as $$ select auth.jwt() $$;
        create table public.notes (id int primary key, owner text not null default auth.jwt() ->> 'sub');
        alter table public.notes enable row level security;
        create policy own on public.notes to authenticated using (owner = auth.jwt() ->> 'sub') with check (owner = auth.jwt() ->> 'sub');
        insert into storage.buckets (id, name) values ('files', 'files');
        create policy own on storage.objects to authenticated using (auth.jwt() ->> 'sub' = 'auth0|ann') with check (auth.jwt() ->> 'sub' = 'auth0|ann');
        create policy topic on realtime.messages for select to authenticated using (auth.jwt() ->> 'sub' = 'auth0|ann');`,
    },
  })
})
after(async () => {
  server?.close()
  await cloch?.remove()
})

const client = (claims = {}, kid) => createClient(cloch.url, cloch.anonKey, { accessToken: () => token(claims, kid) })

test('the table REST API, storage and realtime run with the user of the issuer', async () => {
  const own = client()
  assert.equal((await own.rpc('whoami')).data.sub, 'auth0|ann')
  assert.ifError((await own.from('notes').insert({ id: 1 })).error)
  assert.deepEqual((await own.from('notes').select()).data, [{ id: 1, owner: 'auth0|ann' }])
  assert.ifError((await own.storage.from('files').upload('a.txt', 'text')).error)
  assert.equal((await own.storage.from('files').list()).data.length, 1)
  await own.realtime.setAuth()
  const joined = await new Promise((done) => own.channel('room', { config: { private: true } }).subscribe((status) => done(status)))
  assert.equal(joined, 'SUBSCRIBED')
  await own.removeAllChannels()
})

test('tokens that the issuer did not create for this project are refused', async () => {
  const status = async (bearer) =>
    (await fetch(`${cloch.url}/rest/v1/rpc/whoami`, { headers: { apikey: cloch.anonKey, authorization: `Bearer ${bearer}` } })).status
  assert.equal(await status(await token({})), 200)
  assert.equal(await status(await token({ aud: 'their-api' })), 401)
  assert.equal(await status(await token({ role: 'service_role' })), 401)
  assert.equal(await status(await token({ iss: 'https://evil.example' })), 401)
  const user = await fetch(`${cloch.url}/auth/v1/user`, { headers: { apikey: cloch.anonKey, authorization: `Bearer ${await token({})}` } })
  assert.equal(user.status, 403)
})

test('a new key is loaded when a token names it', async () => {
  await newKey('two')
  const begun = Date.now()
  for (;;) {
    const { data } = await client({}, 'two').rpc('whoami')
    if (data?.sub === 'auth0|ann') break
    assert.ok(Date.now() - begun < 40_000, 'the new key is not known')
    await new Promise((done) => setTimeout(done, 500))
  }
})

/** Calls a function with a token of the issuer. Returns the status. */
const call = async (program, name, claims, body = {}) => {
  const headers = { apikey: program.anonKey, authorization: `Bearer ${await token(claims)}`, 'content-type': 'application/json' }
  return fetch(`${program.url}/functions/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const refused = [{ aud: 'their-api' }, { role: 'service_role' }, { iss: 'https://evil.example' }]

test('a function in TypeScript is called with the user of the issuer, and other callers are refused', async () => {
  const answer = await call(cloch, 'whoami', {})
  assert.equal(answer.status, 200)
  const { status, claims } = await answer.json()
  assert.deepEqual([status, claims.sub, claims.iss], [200, 'auth0|ann', issuer])
  for (const claims of refused) assert.equal((await call(cloch, 'whoami', claims)).status, 401, JSON.stringify(claims))
})

test('a function in Rust gets the user of the issuer, who is not an administrator', async () => {
  const own = readFileSync(join(root, 'supabase-config/cloch.toml'), 'utf8')
  const club = await startProject({ files: { 'cloch.toml': `${own}\n[[auth.issuers]]\nissuer = "${issuer}"\naudience = ["our-api"]\n` } })
  try {
    const body = { email: 'eve@example.org' }
    // The token is valid, but its user is not one of the club's users. Therefore the function itself refuses the request.
    assert.equal((await call(club, 'send-invite', {}, body)).status, 403)
    for (const claims of refused) assert.equal((await call(club, 'send-invite', claims, body)).status, 401, JSON.stringify(claims))
  } finally {
    await club.remove()
  }
})
