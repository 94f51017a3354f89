/**
 * A database of another program, before and after Cloch's starts: the logins with which Cloch attaches to it, and what a start may change. Cloch may
 * add objects of the platform and nothing else.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { binary, sleep } from './program.mjs'
import { compare } from './supabase_database.mjs'

const platform = resolve(import.meta.dirname, '../../sql/platform')
const sqlFiles = readdirSync(platform, { recursive: true })
  .filter((name) => name.endsWith('.sql'))
  .map((name) => readFileSync(join(platform, name), 'utf8'))
/**
 * For the types of pgvector, Cloch has a stand-in: SQL that is used if the extension is missing. Its templates contain the word KIND in place of one
 * of these types.
 */
const vectorTypes = ['vector', 'halfvec', 'sparsevec']
const platformText = [...sqlFiles, ...vectorTypes.flatMap((type) => sqlFiles.filter((text) => text.includes('KIND')).map((text) => text.replaceAll('KIND', type)))].join('\n')

/** On hosted projects since 2025, role postgres is not a member of Supabase's roles and may not become a member. */
export const hosted = 'revoke supabase_auth_admin, supabase_storage_admin from postgres; alter role postgres nocreaterole;'

export const logins = {
  'a superuser': { login: 'supabase_admin' },
  'the owner of the database': {
    login: 'keeper',
    change: 'create role keeper login; grant postgres to keeper; alter database postgres owner to keeper;',
  },
  'a member of supabase_storage_admin': { login: 'postgres' },
  'postgres of a hosted project': { login: 'postgres', change: hosted },
}

/** Returns the environment variable with which Cloch uses the server's database. */
export const environment = (server, login) => ({ CLOCH_DB_URL: server.url(login) })

/**
 * Checks that nothing has disappeared from a database, and that only objects of the platform were added. `buckets`: names of the buckets that the
 * project's config.toml declares. A start creates those that are missing.
 */
export function onlyAdded(before, now, buckets = []) {
  const { lost, widened, added } = compare(before, now)
  assert.deepEqual(lost, [])
  const roles = (state) => new Set(state.get('roles').flatMap((line) => /^CREATE ROLE (\S+);/.exec(line)?.[1] ?? []))
  const newRoles = [...roles(now)].filter((role) => !roles(before).has(role))
  // If a role did not exist before, the owner cannot have revoked its privileges or memberships.
  const mentionsNewRole = (line) => newRoles.some((role) => line.includes(` ${role}`))
  const isDeclared = (line) => /^Data for Name: buckets; Type: TABLE DATA; Schema: storage;/.test(line) && buckets.some((name) => line.includes(`: ${name}\t${name}\t`))
  assert.deepEqual(widened.filter((line) => !mentionsNewRole(line) && !isDeclared(line)), [])
  const isOfPlatform = (title) => {
    const [, name, type, schema] = /Name: (.*?); Type: (.*?); Schema: (.*?);/.exec(title)
    const existed = (start, end = '') => [...before.keys()].some((other) => other.startsWith(start) && other.includes(end))
    // A new privilege is allowed only on a new object or for a new role. The title has the form `TABLE name`.
    if (type === 'ACL' && existed(`Name: ${name.slice(name.indexOf(' ') + 1)}; `, `; Schema: ${schema};`)) return now.get(title).every(mentionsNewRole)
    if (type === 'DEFAULT ACL' && existed(`Name: ${schema}; Type: SCHEMA;`)) return now.get(title).every(mentionsNewRole)
    if (type.endsWith('ACL') || type === 'SEQUENCE SET') return true
    // If the schema is new, all of its objects are new too. The last check below uses the words of the object's name; a sequence has the name of its
    // table and column.
    if (schema !== '-' && !existed(`Name: ${schema}; Type: SCHEMA;`)) return true
    // The table of applied seed files, which the Supabase CLI creates before it applies the first one.
    if (schema === 'supabase_migrations' && /^seed_files\b/.test(name)) return true
    if (type === 'CAST') return vectorTypes.some((name) => title.includes(`extensions.${name}`))
    if (type === 'OPERATOR') return platformText.includes(`operator extensions.${name} `) || platformText.includes(` ${name} `)
    return name.split(/[ (]/).some((word) => word.length > 2 && platformText.includes(word.replace(/_[a-z]+_seq$/, '')))
  }
  assert.deepEqual(added.filter((title) => !isOfPlatform(title)), [])
  assert.doesNotMatch(added.join('\n'), /protect_buckets_delete/)
}

/** Checks that the whole database, including schema cloch, is unchanged. */
export function unchanged(server, dump) {
  const now = server.dump()
  const [old, present] = [new Set(dump.split('\n')), new Set(now.split('\n'))]
  assert.deepEqual([...present].filter((line) => !old.has(line)), [], 'left behind')
  assert.deepEqual([...old].filter((line) => !present.has(line)), [], 'lost')
  assert.ok(now === dump, 'the order of the dump differs')
}

/**
 * Starts Cloch as `postgres`, kills it in the middle of its first changes, and waits until its connections have ended.
 * @param {string[]} flags flags of `cloch start`
 */
export async function killedStart(server, flags) {
  // The lock stops the first start at the trigger on auth.sessions. At that point, a quarter of the SQL files has been applied.
  const locker = spawn('psql', ['-X', '-q', server.url('supabase_admin')], { stdio: ['pipe', 'ignore', 'inherit'] })
  locker.stdin.write('begin; lock table auth.sessions in share mode;\n')
  const child = spawn(binary, ['start', ...flags], { env: { ...process.env, ...environment(server, 'postgres') }, stdio: 'ignore' })
  const waits = () => server.sql("select count(*) from pg_locks where not granted and relation = 'auth.sessions'::regclass") === '1'
  while (!waits()) {
    assert.equal(child.exitCode, null, 'the start ended before it reached auth.sessions')
    await sleep(50)
  }
  child.kill('SIGKILL')
  locker.stdin.end('rollback;\n')
  const others = 'select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  while (server.sql(others) !== '0') await sleep(50)
}
