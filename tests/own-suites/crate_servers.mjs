/**
 * The crates whose tests run, and the servers that these tests expect: the tables that their authors have in their own projects. `exceptions`: tests
 * that must fail, with the reason.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { startProject } from '../support/program.mjs'
import { gateway } from './gateway.mjs'

/** The database of the crate's folder tests/db. In the crate's own setup, all requests have the role postgres; here, the gateway adds the
 * secret key. */
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

/** Since version 13.0.7, PostgREST responds with "Invalid schema: private". */
const oldWording = "it expects the text of PostgREST 10: 'The schema must be one of the following: …'"

export const crates = [
  {
    name: 'postgrest',
    version: '1.6.0',
    start: startTables,
    exceptions: { read_nonexisting_schema: oldWording, write_nonexisting_schema: oldWording, nonexisting_schema_for_rpc: oldWording },
  },
]
