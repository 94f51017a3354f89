/**
 * Moves a project from one database to another over the network, with users, sessions and files. CLOCH_TEST_MOVING=full: 100,000 rows, 1,000 users
 * and 2,000 files; otherwise a tenth of these numbers or less.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { binary, makeProject, sleep, start } from '../support/program.mjs'
import { bytes, client, fileName, fill, inParallel, password, schema } from '../support/moving_project.mjs'

const full = process.env.CLOCH_TEST_MOVING === 'full'
const size = full ? { rows: 100_000, users: 1_000, files: 2_000 } : { rows: 10_000, users: 24, files: 120 }
const running = new Set()
const places = new Set()
let source, filled, sourcePlace

const begin = async (place) => {
  const cloch = await start(place)
  running.add(cloch)
  return cloch
}
const empty = async (options = {}) => {
  const place = await makeProject({ from: null, ...options })
  places.add(place)
  return place
}
const at = (place) => ['--project', place.project, '--data', place.data]
const run = (args, environment = {}) =>
  spawnSync(binary, args, { env: { ...process.env, ...environment }, encoding: 'utf8', timeout: 400_000 })
const access = () => ({ CLOCH_IMPORT_FROM: source.keys.DB_URL, CLOCH_IMPORT_SERVICE_KEY: source.serviceKey })
const sql = (url, statement) => execFileSync('psql', ['-X', '-At', '-v', 'ON_ERROR_STOP=1', url, '-c', statement], { encoding: 'utf8' }).trim()

before(async () => {
  sourcePlace = await empty({ files: { 'migrations/20260101000000_all.sql': schema(size.rows) } })
  source = await begin(sourcePlace)
  filled = await fill(source, size)
})
after(async () => {
  for (const cloch of running) await cloch.remove()
  for (const place of places) rmSync(place.folder, { recursive: true, force: true })
})

/** Returns the private keys with which a project signs its users' tokens, as JSON Web Keys. */
const signingKeys = (place) =>
  readFileSync(join(place.data, 'secrets.toml'), 'utf8').split('[[signing_keys]]').slice(1).map((section) => ({
    kty: 'EC', crv: 'P-256', ...Object.fromEntries([...section.matchAll(/^(kid|x|y|d) = "(.*)"$/gm)].map(([, name, value]) => [name, value])),
  }))

/** Checks that another program serves all data of the source: rows, users with their old passwords, and files byte for byte. */
async function servesAll(cloch) {
  const database = cloch.keys.DB_URL
  assert.equal(sql(database, 'select count(*) from public.notes'), String(size.rows))
  const digest = (table) => `select md5(string_agg(t::text, '|' order by t::text)) from ${table} as t`
  for (const table of ['public.notes', 'public.profiles', 'shop."Odd ""names"""', 'auth.users', 'auth.identities', 'storage.objects', 'storage.buckets']) {
    assert.equal(sql(database, digest(table)), sql(source.keys.DB_URL, digest(table)), table)
  }
  const first = client(cloch, cloch.anonKey)
  const { error } = await first.auth.signInWithPassword({ email: filled.users[0].email, password })
  assert.equal(error, null)
  const wrong = await client(cloch, cloch.anonKey).auth.signInWithPassword({ email: filled.users[1].email, password: 'another one' })
  assert.equal(wrong.error.status, 400)
  const read = await first.from('notes').select('*', { count: 'exact', head: true })
  assert.equal(read.count, size.rows)
  const other = client(cloch, cloch.anonKey)
  assert.equal((await other.auth.signInWithPassword({ email: filled.users[1].email, password })).error, null)
  assert.equal((await other.from('notes').select('*', { count: 'exact', head: true })).count, 0)
  // The policies on files were moved too: users can read their own files, and not the files of others.
  const own = await first.storage.from('files').download(fileName(filled.users[0].id, 0))
  assert.deepEqual(Buffer.from(await own.data.arrayBuffer()), bytes(0))
  assert.notEqual((await other.storage.from('files').download(fileName(filled.users[0].id, 0))).error, null)
  const service = client(cloch)
  await inParallel(size.files, async (number) => {
    const { data, error } = await service.storage.from('files').download(fileName(filled.users[number % size.users].id, number))
    assert.equal(error, null)
    assert.ok(Buffer.from(await data.arrayBuffer()).equals(bytes(number)), `file ${number}`)
  })
  assert.equal(await (await fetch(`${cloch.url}/storage/v1/object/public/open/shown.txt`)).text(), 'shown')
  // The trigger on auth.users also runs for new users.
  const made = await service.auth.admin.createUser({ email: 'after@example.org', password, email_confirm: true, user_metadata: { name: 'After' } })
  assert.equal(made.error, null)
  const profile = await service.from('profiles').select('name').eq('id', made.data.user.id).single()
  assert.equal(profile.data.name, 'After')
  await service.auth.admin.deleteUser(made.data.user.id)
}

test('invalid sources are refused before anything is changed', async () => {
  const place = await empty()
  const nowhere = run(['import', ...at(place)])
  assert.equal(nowhere.status, 1)
  assert.match(nowhere.stderr, /say where from/)
  const unreachable = run(['import', ...at(place)], { CLOCH_IMPORT_FROM: 'postgres://postgres:hunter2@127.0.0.1:9/postgres' })
  assert.equal(unreachable.status, 1)
  assert.match(unreachable.stderr, /cannot be reached/)
  assert.doesNotMatch(unreachable.stderr + unreachable.stdout, /hunter2/)
  const keyless = run(['import', '--api', source.url, ...at(place)], { CLOCH_IMPORT_FROM: source.keys.DB_URL })
  assert.match(keyless.stderr, /needs the secret key/)

  const folder = join(place.folder, 'dump')
  mkdirSync(folder)
  writeFileSync(join(folder, 'schema.sql'), 'CREATE TABLE "public"."a" ("id" int);\n\nCREATE TABLE "public"."b" ("id" no_such_type);\n')
  writeFileSync(join(folder, 'data.sql'), '')
  const broken = run(['import', '--dir', folder, ...at(place)])
  assert.equal(broken.status, 1)
  assert.match(broken.stderr, /schema\.sql, line 3: type "no_such_type" does not exist.*nothing was changed/)
  writeFileSync(join(folder, 'schema.sql'), 'CREATE TABLE "public"."a" ("id" int);\n')
  writeFileSync(join(folder, 'data.sql'), 'COPY "public"."a" ("id") FROM stdin;\n1\n')
  const torn = run(['import', '--dir', folder, ...at(place)])
  assert.match(torn.stderr, /ends within the rows/)
  const cloch = await begin(place)
  assert.equal(sql(cloch.keys.DB_URL, "select to_regclass('public.a') is null"), 't')
  // The server of the source is running, so an import into the source's folder is refused.
  const used = run(['import', ...at(sourcePlace)], access())
  assert.match(used.stderr, /another cloch/)
})

test('a database that is not empty is refused', async () => {
  const place = await empty({ files: { 'migrations/20260101000000_own.sql': 'create table public.mine (id int);' } })
  const cloch = await begin(place)
  await cloch.stop()
  const refused = run(['import', ...at(place)], access())
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /holds tables such as mine already/)
})

test('a dry run lists what would be imported and changes nothing', async () => {
  const place = await empty()
  const tried = run(['import', '--dry-run', '--api', source.url, ...at(place)], access())
  assert.equal(tried.status, 0, tried.stderr + tried.stdout)
  assert.match(tried.stdout, new RegExp(`rows of public.notes +${size.rows} +${size.rows}\n`))
  assert.match(tried.stdout, /nothing was changed/)
  assert.equal(existsSync(place.data), false)
})

test('database, users, sessions and files are imported over the network, and killed imports continue', async () => {
  const place = await empty({ files: { 'migrations/20260101000000_all.sql': schema(size.rows) } })
  const [secret, keys] = ['jwt-secret', 'jwt-keys.json'].map((name) => join(place.folder, name))
  writeFileSync(secret, source.keys.JWT_SECRET, { mode: 0o600 })
  writeFileSync(keys, JSON.stringify(signingKeys(sourcePlace)), { mode: 0o600 })
  const args = ['import', '--api', source.url, '--sessions', '--jwt-secret', secret, '--jwt-keys', keys, ...at(place)]
  const objects = join(place.data, 'objects')
  const count = () => readdirSync(objects, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length
  const stages = {
    'the cluster is made': () => existsSync(join(place.data, 'secrets.toml')),
    'the source is read': () => existsSync(join(place.data, 'import')),
    'the database is loaded': () => existsSync(join(place.data, 'import/data.sql')),
    'files come': () => count() > 0,
    'more files come': () => count() > size.files / 2,
  }
  for (const [stage, begun] of Object.entries(stages)) {
    rmSync(join(place.data, 'import'), { recursive: true, force: true })
    const child = spawn(binary, args, { env: { ...process.env, ...access() }, stdio: 'ignore' })
    const ended = new Promise((done) => child.once('exit', (code, signal) => done(signal ?? code)))
    while (child.exitCode === null && !begun()) await sleep(2)
    child.kill('SIGKILL')
    assert.equal(await ended, 'SIGKILL', stage)
    console.log(`killed while ${stage}: ${existsSync(objects) ? count() : 0} files were there`)
  }
  const done = run(args, access())
  assert.equal(done.status, 0, done.stderr + done.stdout)
  assert.match(done.stdout, /Everything is here/)
  const again = run(args, access())
  assert.equal(again.status, 0, again.stderr + again.stdout)
  assert.match(again.stderr + again.stdout, /moved\.files=0 .*Everything is here/s)
  console.log(done.stdout)

  const cloch = await begin(place)
  await servesAll(cloch)
  // In the target, sessions of the source are valid, and its old API keys are accepted.
  const member = client(cloch, source.anonKey)
  const { data, error } = await member.auth.setSession({ access_token: filled.session.access_token, refresh_token: filled.session.refresh_token })
  assert.equal(error, null)
  assert.equal(data.user.email, filled.users[0].email)
  const refreshed = await member.auth.refreshSession()
  assert.equal(refreshed.error, null)
  assert.equal(statSync(join(place.data, 'secrets.toml')).mode & 0o777, 0o600)
  assert.equal(existsSync(join(place.data, 'import')), false)
})

test('by default, sessions and keys are kept; files are imported over S3', async () => {
  const place = await empty()
  const { S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET, STORAGE_S3_URL } = source.keys
  const s3 = ['--s3', STORAGE_S3_URL, '--s3-key-id', S3_PROTOCOL_ACCESS_KEY_ID]
  const wrong = run(['import', ...s3, ...at(place)], { ...access(), CLOCH_IMPORT_S3_SECRET: 'not the secret' })
  assert.equal(wrong.status, 1)
  assert.match(wrong.stdout, /files with their bytes +\d+ +0 +DIFFERENT/)
  assert.match(wrong.stdout, /the source answers 403/)
  const done = run(['import', ...s3, ...at(place)], { ...access(), CLOCH_IMPORT_S3_SECRET: S3_PROTOCOL_ACCESS_KEY_SECRET })
  assert.equal(done.status, 0, done.stderr + done.stdout)
  const cloch = await begin(place)
  assert.equal(sql(cloch.keys.DB_URL, 'select count(*) from auth.refresh_tokens'), '0')
  await servesAll(cloch)
  const stranger = await client(cloch, cloch.anonKey).auth.setSession(filled.session)
  assert.notEqual(stranger.error, null)
})

test('an export can be imported by Cloch, and by psql as Supabase documents it', async (context) => {
  const place = await empty()
  const folder = join(place.folder, 'export')
  const wrote = run(['export', '--dir', folder, ...at(sourcePlace)])
  assert.equal(wrote.status, 0, wrote.stderr + wrote.stdout)
  console.log(wrote.stdout)
  assert.equal(statSync(join(folder, 'data.sql')).mode & 0o777, 0o600)
  assert.doesNotMatch(readFileSync(join(folder, 'roles.sql'), 'utf8'), /PASSWORD|supabase_admin/)
  const second = run(['export', '--dir', folder, ...at(sourcePlace)])
  assert.match(second.stdout, /0 files written now/)

  const done = run(['import', '--dir', folder, ...at(place)])
  assert.equal(done.status, 0, done.stderr + done.stdout)
  const cloch = await begin(place)
  await servesAll(cloch)

  // A database that Supabase's own sources have created. To create it, scripts/supabase-database needs these sources on this machine.
  const upstream = process.env.CLOCH_TEST_SUPABASE_DB_URL
  if (!upstream) return context.diagnostic('CLOCH_TEST_SUPABASE_DB_URL names no database of Supabase: psql was not tried')
  const file = (name) => join(folder, name)
  execFileSync('psql', ['-X', '-q', '--single-transaction', '-v', 'ON_ERROR_STOP=1', '-f', file('roles.sql'), '-f', file('schema.sql'),
    '-c', 'SET session_replication_role = replica', '-f', file('data.sql'), upstream], { stdio: ['ignore', 'ignore', 'inherit'] })
  for (const table of ['public.notes', 'public.profiles', 'auth.users', 'auth.identities', 'storage.objects']) {
    const counted = `select count(*) from ${table}`
    assert.equal(sql(upstream, counted), sql(source.keys.DB_URL, counted), table)
  }
  // The move also works in the other direction: the source is a database that Supabase has created.
  const back = await empty()
  const returned = run(['import', '--api', source.url, ...at(back)], { ...access(), CLOCH_IMPORT_FROM: upstream })
  console.log(returned.stdout)
  assert.equal(returned.status, 0, returned.stderr + returned.stdout)
  await servesAll(await begin(back))
})

// If pgvector is missing, Cloch has a stand-in (SQL with the same types). A superuser owns the types of the stand-in, so the target could not load a
// dump that contains them.
test('vectors in schema public move without the stand-in for pgvector', async (context) => {
  const migration = `create extension vector with schema public;
    create table public.items (id int primary key, v public.vector(3));
    insert into public.items values (1, '[1,2,3]');
    create function public.nearest(q public.vector) returns float8 language sql as 'select min(v operator(public.<->) q) from public.items';`
  const from = await begin(await empty({ files: { 'migrations/20260101000000_vectors.sql': migration } }))
  if (sql(from.keys.DB_URL, "select extversion from pg_extension where extname = 'vector'") !== 'stand-in') return context.skip('pgvector is installed')
  assert.equal(sql(from.keys.DB_URL, "select count(*) > 100 from pg_proc where pronamespace = 'public'::regnamespace"), 't')
  const folder = join(from.folder, 'export')
  const wrote = run(['export', '--dir', folder, ...at(from)])
  assert.equal(wrote.status, 0, wrote.stderr + wrote.stdout)
  const text = readFileSync(join(folder, 'schema.sql'), 'utf8')
  assert.match(text, /CREATE EXTENSION IF NOT EXISTS "vector" WITH SCHEMA "public"/)
  assert.match(text, /CREATE( OR REPLACE)? FUNCTION "public"\."nearest"/)
  assert.doesNotMatch(text, /CREATE (TYPE|CAST|OPERATOR|AGGREGATE)|"(vector_in|l2_distance|hamming_distance|halfvec_accum|array_to_sparsevec)"\(/)

  const place = await empty()
  const done = run(['import', '--dir', folder, ...at(place)])
  assert.equal(done.status, 0, done.stderr + done.stdout)
  const to = await begin(place)
  assert.equal(sql(to.keys.DB_URL, "select public.nearest('[1,2,5]')"), '2')
  // The generated types of the project do not contain the stand-in's functions.
  const types = run(['gen', 'types', '--schema', 'public', ...at(place)])
  assert.match(types.stdout, /nearest: \{/)
  assert.doesNotMatch(types.stdout, /l2_distance|vector_in/)
})
