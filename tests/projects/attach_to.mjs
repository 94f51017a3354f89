/** Creates a Supabase database that contains a project, and starts Cloch on copies of it. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

import { environment, killedStart, logins, onlyAdded, unchanged } from '../support/attached.mjs'
import { freePort, removePlace, start } from '../support/program.mjs'
import { compare, supabaseDatabase } from '../support/supabase_database.mjs'

/** A start also applies the SQL of the platform, on a machine that may be busy. */
const PATIENCE = 240_000

/** The history of migrations, as the Supabase CLI creates it. */
const HISTORY = `
  create schema if not exists supabase_migrations;
  create table if not exists supabase_migrations.schema_migrations (version text not null primary key, statements text[], name text);
  alter schema supabase_migrations owner to postgres;
  alter table supabase_migrations.schema_migrations owner to postgres;`

/** Rows in the platform's own tables, which a start must keep too. */
const ROWS = `
  set session_replication_role = replica;
  insert into auth.users (instance_id, id, aud, role, email, raw_user_meta_data)
    values ('00000000-0000-0000-0000-000000000000', '00000000-0000-4000-8000-0000000000aa', 'authenticated', 'authenticated', 'kept@example.org', '{"kept": true}');
  insert into storage.buckets (id, name, public) values ('kept-bucket', 'kept-bucket', true);
  insert into storage.objects (bucket_id, name, metadata) values ('kept-bucket', 'a/b.txt', '{"size": 3}');`

/**
 * Makes a database of Supabase and applies a project's migrations and seed to it as role postgres, like `supabase db push`.
 * @param {string} folder the project's folder
 * @returns the stopped server with the database, or PostgreSQL's refusal of the project's SQL
 */
export async function supabaseProject(folder) {
  const server = await supabaseDatabase(HISTORY)
  const migrations = join(folder, 'migrations')
  const files = existsSync(migrations) ? readdirSync(migrations).filter((name) => /^\d+_.*\.sql$/.test(name)).sort() : []
  try {
    for (const name of files) {
      const [, version, title] = /^(\d+)_(.*)\.sql$/.exec(name)
      const row = `insert into supabase_migrations.schema_migrations (version, name) values ('${version}', '${title.replaceAll("'", "''")}')`
      inOrder(server, join(migrations, name), row)
    }
    const seed = join(folder, 'seed.sql')
    if (existsSync(seed)) inOrder(server, seed)
    server.sql(ROWS)
    server.keep()
    return { server, migrations: files.length, seeded: existsSync(seed) }
  } catch (error) {
    server.remove()
    return { refusal: firstLine(error) }
  }
}

const firstLine = (error) => `${error.stderr ?? ''}`.split('\n').find((line) => line.includes('ERROR')) ?? error.message.split('\n')[0]

/** Statements for extensions. In a comment of a line, the words are no statement. */
const EXTENSION = /(?<!--[^\n]*)(?:create|comment\s+on)\s+extension\s+(?:if\s+not\s+exists\s+)?"?([\w-]+)"?[^;]*;/gi

/**
 * Executes a file as role postgres. `create extension` runs before it as the superuser, as supautils does on Supabase; for extensions that this
 * PostgreSQL lacks it is left out, as in scripts/supabase-database.
 */
function inOrder(server, file, then) {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  const lacks = (name) => server.sql(`select count(*) from pg_available_extensions where name = '${name}'`) === '0'
  const created = [...text.matchAll(EXTENSION)].filter(([, name]) => !lacks(name)).map(([statement]) => statement)
  try {
    if (created.length > 0) server.sql(`set search_path = public, extensions; ${created.join('\n')}`)
    server.apply('postgres', text.replace(EXTENSION, ''), then)
  } catch (error) {
    throw Object.assign(error, { stderr: `${basename(file)}: ${firstLine(error)}` })
  }
}

const AFTER_KILL = 'after a killed start'

/**
 * Starts Cloch on copies of the database: twice with each login, and after a killed start. `only`: names of the series to run, by default all.
 * @returns the number of objects and of lines with rows before the starts, the maximum number of added titles, and the result of each series
 * of starts
 */
export async function attachTo(kept, folder, only = [...Object.keys(logins), AFTER_KILL]) {
  const starts = {}
  let [objects, rows, added] = [0, 0, 0]
  const series = async (name, change, steps) => {
    if (!only.includes(name)) return
    const server = await supabaseDatabase(change, { from: kept })
    const place = await newPlace(folder)
    try {
      const before = server.state()
      objects = before.size
      rows = [...before].filter(([title]) => title.startsWith('Data for')).reduce((sum, [, lines]) => sum + lines.length, 0)
      await steps(server, place, before)
      added = Math.max(added, compare(before, server.state()).added.length)
      starts[name] = {}
    } catch (error) {
      starts[name] = { message: `${error.message}` }
    } finally {
      server.remove()
      removePlace(place)
    }
  }
  for (const [name, { login, change = '' }] of Object.entries(logins)) {
    await series(name, change, (server, place, before) => twoStarts(server, place, before, login))
  }
  await series(AFTER_KILL, '', async (server, place, before) => {
    const dump = server.dump()
    await killedStart(server, ['--project', folder, '--data', place.data, '--port', `${place.port}`])
    unchanged(server, dump)
    await twoStarts(server, place, before, 'postgres')
  })
  return { objects, rows, added, starts }
}

/** Names of the buckets in the project's config.toml. */
function declaredBuckets(project) {
  const file = join(project, 'config.toml')
  return existsSync(file) ? [...readFileSync(file, 'utf8').matchAll(/^\[storage\.buckets\."?([^\]"]+)"?\]/gm)].map(([, name]) => name) : []
}

/** Creates a data folder and a port for a project whose files are not moved. */
async function newPlace(project) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-attach-'))
  // If root runs the test, the account that runs functions must be able to enter its folder.
  chmodSync(folder, 0o755)
  const port = await freePort()
  return { folder, project, data: join(folder, 'data'), port, url: `http://127.0.0.1:${port}` }
}

async function twoStarts(server, place, before, login) {
  const options = { environment: environment(server, login), flags: ['--port', `${place.port}`], patience: PATIENCE }
  const first = await start(place, options)
  const output = first.output()
  await first.stop()
  assert.match(output, /added outside of schema cloch/)
  const attached = server.state()
  onlyAdded(before, attached, declaredBuckets(place.project))

  const second = await start(place, options)
  try {
    assert.doesNotMatch(second.output(), /added outside of schema cloch/)
    await answers(second)
  } finally {
    await second.stop()
  }
  assert.deepEqual(compare(attached, server.state()), { lost: [], widened: [], added: [] })
}

/** Checks that each API can read the database. Nothing is written, because a project's triggers may refuse what a test writes. */
async function answers(cloch) {
  const headers = { apikey: cloch.serviceKey, authorization: `Bearer ${cloch.serviceKey}` }
  const read = async (path) => {
    const response = await fetch(`${cloch.url}${path}`, { headers })
    const text = await response.text()
    assert.equal(response.status, 200, `${path}: ${text}\n${cloch.output()}`)
    return text
  }
  assert.match(await read('/auth/v1/admin/users'), /kept@example\.org/)
  assert.match(await read('/storage/v1/bucket'), /kept-bucket/)
  await read('/rest/v1/')
}
