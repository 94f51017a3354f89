/**
 * Makes an archive of a data folder for the upgrade suite (tests/client/data_folders.test.mjs), once for each release:
 *   node tests/upgrades/make.mjs NAME        NAME: version of the release, for example 0.1.0
 * The program is CLOCH_TEST_PROGRAM. The archive contains the project, the data folder of a stopped server, and what.json with the values that a
 * test expects. The keys and passwords in the archive were generated for this folder and protect nothing.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { fill, schema } from '../support/moving_project.mjs'
import { binary, makeProject, start } from '../support/program.mjs'

const name = process.argv[2]
if (!/^[\w.-]+$/.test(name ?? '')) throw new Error('usage: node tests/upgrades/make.mjs NAME')

/** Data for the stand-ins of extensions. A stand-in is SQL in place of a missing extension. */
const more = `
select vault.create_secret('open sesame', 'door');
create extension pg_cron;
select cron.schedule('nightly', '0 3 * * *', 'select 1');
create extension pgmq;
select pgmq.create('jobs');
select pgmq.send('jobs', '{"n": 1}');
create extension vector with schema extensions;
create table public.places (id int primary key, at extensions.vector(3));
insert into public.places values (1, '[1,2,3]');
`
const size = { rows: 60, users: 3, files: 6 }
const mfa = '\n[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n'
const place = await makeProject({ from: null, fresh: true, change: (config) => config + mfa, files: { 'migrations/20260101000000_all.sql': schema(size.rows) + more } })
const cloch = await start(place)
const { users, session } = await fill(cloch, size)
const factor = await fetch(`${cloch.url}/auth/v1/factors`, {
  method: 'POST',
  headers: { apikey: cloch.anonKey, authorization: `Bearer ${session.access_token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ factor_type: 'totp', friendly_name: 'phone' }),
})
const { totp } = await factor.json()
const what = {
  version: execFileSync(binary, ['version'], { encoding: 'utf8' }).match(/version\s+(\S+)/)[1],
  postgres: readFileSync(join(place.data, 'db/PG_VERSION'), 'utf8').trim(),
  ...size,
  members: users,
  refresh_token: session.refresh_token,
  totp_secret: totp.secret,
  publishable_key: cloch.keys.PUBLISHABLE_KEY,
}
await cloch.stop()
writeFileSync(join(place.folder, 'what.json'), `${JSON.stringify(what, null, 2)}\n`)
for (const file of readdirSync(join(place.data, 'db')).filter((file) => file.startsWith('server.log'))) rmSync(join(place.data, 'db', file))
const archive = join(import.meta.dirname, `${name}.tar.xz`)
// The archive does not contain sockets, statistics, and the copy of PostgreSQL's programs that each start creates.
const left = ['functions/run', 'postgres', 'db/pg_stat', 'db/pg_stat_tmp'].map((name) => `--exclude=data/${name}/*`)
const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name']
execFileSync('tar', ['-C', place.folder, ...owner, '-cf', archive, '-I', 'xz -9e', ...left, 'what.json', 'supabase-config', 'data'])
rmSync(place.folder, { recursive: true, force: true })
console.log(`${archive}: ${what.version}, PostgreSQL ${what.postgres}`)
