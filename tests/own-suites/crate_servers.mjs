/**
 * The crates whose tests run, and the servers that these tests expect: the tables, buckets, files and users that their authors have in their own
 * projects. `exceptions`: tests that must fail, with the reason.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { freePort, startProject } from '../support/program.mjs'
import { gateway } from './gateway.mjs'

/** The user of the tests of supabase-auth. Its tests set this password again after they have changed it. */
const demo = { email: 'demo@club.example', password: 'qwerqwer' }

const authSettings = `
[auth]
site_url = "https://club.example"
additional_redirect_urls = ["https://www.thisisnotarealdomain.com"]
enable_anonymous_sign_ins = true

[auth.email]
enable_confirmations = true
max_frequency = "1s"

[auth.rate_limit]
email_sent = 1000
sign_in_sign_ups = 1000

[auth.external.github]
enabled = true
client_id = "github"
secret = "a secret"
`

/** Sends a request with the secret key. */
async function call({ url, serviceKey }, path, body, type = 'application/json') {
  const headers = { apikey: serviceKey, authorization: `Bearer ${serviceKey}`, 'content-type': type }
  const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: type === 'application/json' ? JSON.stringify(body) : body })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

/** The database of tests/db in the crate. There the role of all requests is postgres; here the gateway adds the secret key. */
async function startTables({ folder, open, onRequest }) {
  const sql = (name) => readFileSync(join(folder, 'tests/db', name), 'utf8')
  const server = await startProject({
    from: null,
    files: {
      // The crate's file creates this publication itself.
      'migrations/20260101000000_before.sql': 'drop publication supabase_realtime;',
      'migrations/20260101000001_schema.sql': sql('00-schema.sql'),
      'migrations/20260101000002_data.sql': sql('01-dummy-data.sql'),
      'migrations/20260101000003_grants.sql': 'grant usage on schema personal to service_role;\ngrant all on all tables in schema personal to service_role;',
    },
    change: (text) => text.replace('[api]\n', '[api]\nschemas = ["public", "personal"]\n'),
  })
  open(() => server.remove())
  open(await gateway(3000, `${server.url}/rest/v1`, { apikey: server.serviceKey }, onRequest))
  return {}
}

async function startAuth({ open, onRequest }) {
  const server = await startProject({ from: null, change: (text) => text + authSettings })
  open(() => server.remove())
  await call(server, '/auth/v1/admin/users', { ...demo, email_confirm: true })
  const port = await freePort()
  open(await gateway(port, server.url, {}, onRequest))
  return {
    SUPABASE_URL: `http://127.0.0.1:${port}`,
    // One test invites a user with the key of the client.
    SUPABASE_API_KEY: server.serviceKey,
    SUPABASE_JWT_SECRET: server.keys.JWT_SECRET,
    DEMO_EMAIL: demo.email,
    DEMO_PASSWORD: demo.password,
    DEMO_INVITE: 'invited@club.example',
  }
}

async function startStorage({ open, onRequest }) {
  const server = await startProject({ from: null })
  open(() => server.remove())
  for (const name of ['example_private_bucket_1', 'empty_bucket_test', 'upload_tests', 'list_files']) await call(server, '/storage/v1/bucket', { id: name, name, public: false })
  const files = ['1.txt', '2.txt', '3.txt', 'folder/aaa.jpg', 'folder_of_folders/one/a.txt', 'folder_of_folders/two/a.txt']
  for (const file of files) await call(server, `/storage/v1/object/list_files/${file}`, 'content', file.endsWith('.jpg') ? 'image/jpeg' : 'text/plain')
  const port = await freePort()
  open(await gateway(port, server.url, {}, onRequest))
  return { SUPABASE_URL: `http://127.0.0.1:${port}`, SUPABASE_API_KEY: server.serviceKey }
}

/** The project in the folder `supabase` of the repository, with its seed. */
async function startFolder({ folder, open, onRequest }) {
  const server = await startProject({ from: join(folder, 'supabase'), seed: true })
  open(() => server.remove())
  const port = await freePort()
  open(await gateway(port, server.url, {}, onRequest))
  return { SUPABASE_URL: `http://127.0.0.1:${port}`, SUPABASE_KEY: server.anonKey }
}

/** PostgREST since version 13.0.7 answers "Invalid schema: private". */
const oldWording = "it expects the text of PostgREST 10: 'The schema must be one of the following: …'"

/**
 * `repository` and `commit`: the package on crates.io does not contain the tests. `runsIgnored`: the crate ignores tests that need its project's rows,
 * which the server has.
 */
export const crates = [
  {
    name: 'postgrest',
    version: '1.6.0',
    start: startTables,
    exceptions: { read_nonexisting_schema: oldWording, write_nonexisting_schema: oldWording, nonexisting_schema_for_rpc: oldWording },
  },
  { name: 'supabase-auth', version: '0.10.14', start: startAuth },
  {
    name: 'supabase-storage-rs',
    version: '0.1.7',
    start: startStorage,
    exceptions: { test_empty_bucket: "it expects the text of older storage servers: 'Successfully emptied'" },
  },
  {
    name: 'supabase_rs',
    version: '0.7.0',
    repository: 'https://github.com/xylex-group/supabase_rs',
    commit: 'fb6fbe5fb84af4e6fc01dcc2e2a61b6b515f4b00',
    start: startFolder,
    runsIgnored: true,
  },
]
