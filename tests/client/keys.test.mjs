/**
 * `cloch keys`: tokens that were signed with a key stay valid when another key becomes the current one. They are refused after their key is revoked.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { binary, makeProject, start } from '../support/program.mjs'

const table = 'create table public.notes (id int); grant select on public.notes to authenticated;'
const place = await makeProject({ from: null, files: { 'migrations/20260101000000_notes.sql': table } })
let running
after(async () => {
  await running?.stop()
  rmSync(place.folder, { recursive: true, force: true })
})

const at = ['--project', place.project, '--data', place.data]
const keys = (...action) => execFileSync(binary, ['keys', ...action, ...at]).toString()
const refused = (...action) => {
  const { status, stderr } = spawnSync(binary, ['keys', ...action, ...at])
  assert.notEqual(status, 0)
  return stderr.toString()
}

const again = async () => {
  await running?.stop()
  running = await start(place)
  return running
}

const client = (token) =>
  createClient(running.url, running.anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    ...(token ? { global: { headers: { authorization: `Bearer ${token}` } } } : {}),
  })

const part = (token, at) => JSON.parse(Buffer.from(token.split('.')[at], 'base64url'))
const kidOf = (token) => part(token, 0).kid
const published = async () => {
  const answer = await fetch(`${running.url}/auth/v1/.well-known/jwks.json`)
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=600')
  const { keys } = await answer.json()
  for (const key of keys) assert.deepEqual([key.kty, key.alg, key.d], ['EC', 'ES256', undefined])
  return keys.map((key) => key.kid)
}

/** Returns whether auth and the table API accept the token. Both must agree. */
const holds = async (token) => {
  const headers = { apikey: running.anonKey, authorization: `Bearer ${token}` }
  const user = await fetch(`${running.url}/auth/v1/user`, { headers })
  const rest = await fetch(`${running.url}/rest/v1/notes`, { headers })
  assert.equal(user.ok, rest.ok, `auth ${user.status}, rest ${rest.status}`)
  return user.ok
}

test('a key is created, waits, signs, only verifies, and is revoked', async () => {
  assert.match(refused('rotate'), /no secrets yet/)
  keys('make')
  await again()
  const email = `${randomUUID()}@club.example`
  const password = 'a lighthouse on the Clyde'
  const admin = createClient(running.url, running.serviceKey, { auth: { persistSession: false } }).auth.admin
  assert.equal((await admin.createUser({ email, password, email_confirm: true })).error, null)
  const signIn = async () => {
    const { data, error } = await client().auth.signInWithPassword({ email, password })
    assert.equal(error, null)
    return data.session
  }
  const first = await signIn()
  const firstKid = kidOf(first.access_token)
  assert.deepEqual(await published(), [firstKid])
  const { anonKey, serviceKey } = running

  // The server publishes the standby key, but does not sign with it yet.
  keys('standby')
  await again()
  const both = await published()
  assert.equal(both.length, 2)
  assert.ok(both.includes(firstKid))
  assert.equal(kidOf((await signIn()).access_token), firstKid)

  keys('rotate')
  await again()
  const second = await signIn()
  const secondKid = kidOf(second.access_token)
  assert.notEqual(secondKid, firstKid)
  assert.ok(both.includes(secondKid))
  assert.deepEqual((await published()).sort(), [...both].sort())
  assert.ok((await holds(first.access_token)) && (await holds(second.access_token)))
  // The project's API keys are signed with the JWT secret, so a rotation of the signing keys does not change them.
  assert.deepEqual([running.anonKey, running.serviceKey], [anonKey, serviceKey])
  // The client verifies both tokens with the published keys only.
  for (const token of [first.access_token, second.access_token]) {
    const { data, error } = await client().auth.getClaims(token)
    assert.equal(error, null)
    assert.equal(data.claims.email, email)
  }

  assert.match(refused('revoke', secondKid), /in use/)
  assert.match(refused('revoke', randomUUID()), /unknown/)
  assert.ok(await holds(first.access_token))
  keys('revoke', firstKid)
  await again()
  assert.deepEqual(await published(), [secondKid])
  assert.equal(await holds(first.access_token), false)
  assert.ok(await holds(second.access_token))
  // Revoking a key makes tokens invalid, but not sessions. The refresh token still returns an access token, which is signed with the new key.
  const { data, error } = await client().auth.refreshSession({ refresh_token: first.refresh_token })
  assert.equal(error, null)
  assert.equal(kidOf(data.session.access_token), secondKid)
  assert.equal(part(data.session.access_token, 1).session_id, part(first.access_token, 1).session_id)
})
