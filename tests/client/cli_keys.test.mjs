/**
 * With `cloch start --cli-keys`, the Supabase CLI and an app that uses the CLI's keys work unchanged. After a start without this option, they do not.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { after, test } from 'node:test'

import { binary, makeProject, removePlace, start } from '../support/program.mjs'

const table = 'create table public.notes (id int); insert into public.notes values (7); grant select on public.notes to anon;'
const place = await makeProject({ from: null, files: { 'migrations/20260101000000_notes.sql': table } })
let running
after(async () => {
  await running?.stop()
  removePlace(place)
})

const status = (...flags) =>
  JSON.parse(execFileSync(binary, ['status', '-o', 'json', '--project', place.project, '--data', place.data, ...flags]).toString())
const sql = (url, text) => spawnSync('psql', [url, '-Atqc', text], { encoding: 'utf8' })
const read = (key) => fetch(`${place.url}/rest/v1/notes`, { headers: { apikey: key } })

test('the CLI’s keys and its database password are accepted only if the server was started with --cli-keys', async () => {
  running = await start(place, { flags: ['--cli-keys'] })
  const clis = status('--cli-keys')
  assert.match(clis.DB_URL, /^postgresql:\/\/postgres:postgres@127\.0\.0\.1:\d+\/postgres$/)
  assert.deepEqual(await (await read(clis.ANON_KEY)).json(), [{ id: 7 }])
  assert.equal(sql(clis.DB_URL, 'select id, current_user from public.notes').stdout.trim(), '7|postgres')
  assert.match(running.output(), /EVERYBODY KNOWS THE KEYS of this server[^\n]*password/)
  await running.stop()

  running = await start(place)
  const refused = await read(clis.ANON_KEY)
  assert.equal(refused.status, 401)
  assert.match(await refused.text(), /cloch status/)
  assert.match(sql(clis.DB_URL, 'select 1').stderr, /password authentication failed/)
  assert.equal(sql(status().DB_URL, 'select id from public.notes').stdout.trim(), '7')
})
