/**
 * Tests docs/compatibility.md: tries every method of supabase-js, feature of the table REST, key of config.toml and operation of S3. With
 * `CLOCH_WRITE_DOCS=1`, the test writes the page; otherwise the page must match the results.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { entries } from '../compatibility/client_methods.mjs'
import * as config from '../compatibility/config_keys.mjs'
import { features, schema } from '../compatibility/rest_features.mjs'
import { operations } from '../compatibility/s3_operations.mjs'
import { section, tryAll } from '../compatibility/table.mjs'
import { deno } from '../support/deno.mjs'
import { memoryClient } from '../support/memory_client.mjs'
import { startProject } from '../support/program.mjs'
import { askS3 } from '../support/s3.mjs'

const file = join(import.meta.dirname, '../../docs/compatibility.md')
const settings = `
[auth]
site_url = "https://club.example"
enable_anonymous_sign_ins = true
enable_manual_linking = true
minimum_password_length = 8

[auth.email]
enable_confirmations = false
max_frequency = "0s"

[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true

[auth.external.github]
enabled = true
client_id = "a-client"
secret = "a-secret"

[auth.passkey]
enabled = true

[auth.web3.solana]
enabled = true

[auth.oauth_server]
enabled = true

[functions.hello]
verify_jwt = true
`
const intro = `# Compatibility

Made by \`tests/client/compatibility.test.mjs\`: each thing was tried against a running Cloch. Do not write in it:
\`cd tests && CLOCH_WRITE_DOCS=1 npm run test:client -- client/compatibility.test.mjs\` does, and the suite fails while it is not what was seen.

*works*: as the unmodified client or tool expects it. *differs*: in another way, with the reason. *no effect*: accepted, and nothing reads it.
*not there*: refused with an error. *unknown*: nobody has tried it yet. *FAILS*: it should work.
`

const running = []
const startOne = async (options) => {
  const cloch = await startProject({ from: null, environment: { CLOCH_DENO: deno }, ...options })
  running.push(cloch)
  return cloch
}
after(() => Promise.all(running.map((cloch) => cloch.remove())))

/** Sends a table REST request with the service key. Returns the response. */
const restOf = (cloch) => async (method, path, { headers = {}, body } = {}) => {
  const isText = typeof body === 'string'
  const response = await fetch(`${cloch.url}/rest/v1${path}`, {
    method,
    headers: { apikey: cloch.serviceKey, Authorization: `Bearer ${cloch.serviceKey}`, ...(body !== undefined && !isText && { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined || isText ? body : JSON.stringify(body),
  })
  const text = await response.text()
  let json
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: response.status, headers: response.headers, text, json }
}

test('docs/compatibility.md matches the results', async () => {
  const functions = { 'functions/hello/index.ts': config.files['functions/hello/index.ts'] }
  const migration = `${schema} alter publication supabase_realtime add table public.clubs;`
  const cloch = await startOne({ files: { 'migrations/20260101000000_tables.sql': migration, ...functions }, change: (text) => text.replace('[api]', '[api]\nschemas = ["public", "other"]') + settings })
  const rest = await tryAll(features, restOf(cloch))
  const service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false, autoRefreshToken: false, experimental: { passkey: true } } })
  const own = memoryClient(cloch.url, cloch.anonKey)
  const context = { cloch, service, own, admin: service.auth.admin, heard: [] }
  const client = await tryAll(entries(cloch.url, cloch.anonKey), context)
  const s3 = await tryAll(operations, { s3: (method, path, request) => askS3(cloch, method, path, request) })

  const ports = /^port = (\d+)$/gm
  const configured = await startOne({
    files: config.files,
    // Replaces the ports by the reserved ones.
    change: (text) => {
      const [[, port], [, databasePort]] = [...text.matchAll(ports)]
      return config.configToml.replace('port = 54321', `port = ${port}`).replace('port = 54322', `port = ${databasePort}`)
    },
  })
  const sections = [
    section('supabase-js', client, 'The methods are read from the objects of the installed client, so a new one shows as unknown.'),
    section('Table REST', rest, '[table-rest.md](table-rest.md) lists what the releases of PostgREST have changed.'),
    section('S3', s3),
    section('config.toml', config.rows(configured.output()), "The keys of the Supabase CLI's template. Those that are read count as working here; the tests of each part show what they do."),
  ]
  const made = `${intro}\n${sections.join('\n').trimEnd()}\n`
  if (process.env.CLOCH_WRITE_DOCS) writeFileSync(file, made)
  assert.equal(readFileSync(file, 'utf8'), made)
  for (const row of [...client, ...rest, ...s3]) assert.notEqual(row.status, 'FAILS', `${row.name}: ${row.note}`)
})
