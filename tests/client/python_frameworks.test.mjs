/**
 * Python packages that use the database through DB_URL. Their programs are in tests/clients/python. The tables that an ORM creates become part of the
 * API, and everybody can read them. Therefore the server warns about them at the next start.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { checkTable } from '../clients/document.mjs'
import { query } from '../support/database.mjs'
import { binary, makeProject, removePlace, sleep, start } from '../support/program.mjs'

const python = process.env.CLOCH_TEST_PYTHON ?? 'python3'
const results = []
let place, server

before(async () => {
  place = await makeProject({ from: null })
  server = await start(place)
})
after(async () => {
  await server?.stop()
  removePlace(place)
})

/** Returns the installed version of a package, or undefined if the package is not installed. */
function versionOf(name) {
  const code = `import importlib.metadata as m; print(m.version('${name}'))`
  const { status, stdout } = spawnSync(python, ['-c', code], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : undefined
}

/** A scenario. Each step of its program is a test. Its row in the table contains the package's version and what works. */
function scenario(name, file, does, then = async () => {}) {
  const version = versionOf(name)
  const skip = version === undefined ? `the Python package ${name} is not installed` : false
  test(`${name}: ${does}`, { skip }, async (context) => {
    const environment = {
      SUPABASE_URL: server.url, SUPABASE_ANON_KEY: server.anonKey, SUPABASE_SERVICE_ROLE_KEY: server.serviceKey,
      DB_URL: server.keys.DB_URL, VECTOR_IS_REAL: String(await vectorIsReal()), PYTHONDONTWRITEBYTECODE: '1',
    }
    const program = join(import.meta.dirname, '../clients/python', file)
    const { status, stdout, stderr } = spawnSync(python, [program], { encoding: 'utf8', env: { ...process.env, ...environment }, timeout: 120_000 })
    assert.equal(status, 0, stderr)
    const steps = stdout.trim().split('\n').map((line) => JSON.parse(line))
    for (const { step, error } of steps) await context.test(step, () => assert.equal(error, null))
    assert.deepEqual(steps.filter(({ error }) => error !== null), [])
    await then(context)
    results.push([`\`${name}\` ${version}`, does])
  })
}

const sql = (statement) => query(server.keys.DB_URL, statement)

/** Returns whether pgvector is installed. If not, Cloch uses its stand-in: SQL with the same types and functions. */
async function vectorIsReal() {
  const [{ version }] = await sql("select default_version as version from pg_available_extensions where name = 'vector'")
  return version !== 'stand-in'
}

const rows = async (path, key) => {
  const response = await fetch(`${server.url}/rest/v1/${path}`, { headers: { apikey: key } })
  return { status: response.status, json: await response.json() }
}

scenario('django', 'django_app.py', 'migrations, users, models with arrays and JSON, queries, transactions. Its tables are part of the API: enable row-level security', async (context) => {
  const query = 'library_book?select=title,author:library_author(name)&order=title&limit=1'
  await context.test('the tables are in the API, with their relations', async () => {
    const { status, json } = await rows(query, server.serviceKey)
    assert.deepEqual([status, json], [200, [{ title: 'Highland River', author: { name: 'Neil M. Gunn' } }]])
  })
  await context.test('everybody can read them: the advisors and the next start report them', async () => {
    const { json } = await rows('auth_user?select=username,password', server.anonKey)
    assert.match(json[0].password, /^pbkdf2_/)
    const { stdout } = spawnSync(binary, ['advise', '--json', '--project', place.project, '--data', place.data], { encoding: 'utf8' })
    const open = JSON.parse(stdout).lints.filter(({ name }) => name === 'rls_disabled_in_public').map(({ metadata }) => metadata.name)
    const tables = (await sql("select tablename from pg_tables where schemaname = 'public' order by 1")).map(({ tablename }) => tablename)
    assert.ok(tables.includes('auth_user') && tables.includes('library_book') && tables.includes('django_migrations'), String(tables))
    assert.deepEqual(open.toSorted(), tables)

    await server.stop()
    server = await start(place)
    const warning = () => server.output().split('\n').find((line) => line.includes('WARN') && line.includes('role anon can read'))
    for (let attempt = 0; attempt < 200 && !warning(); attempt += 1) await sleep(50)
    for (const table of tables) assert.ok(warning()?.includes(`public.${table}`), `${table}: ${warning()}`)
  })
  await context.test('with row-level security, the API hides them and Django still sees them', async () => {
    await sql("do $$ declare t record; begin for t in select tablename from pg_tables where schemaname = 'public' loop execute format('alter table public.%I enable row level security', t.tablename); end loop; end $$")
    assert.deepEqual((await rows('auth_user?select=username', server.anonKey)).json, [])
    assert.equal((await rows(query, server.serviceKey)).json.length, 1)
    assert.equal((await sql('select count(*)::int from public.auth_user'))[0].count, 1)
  })
})

scenario('vecs', 'vecs_client.py', 'collections, upserts, searches by three distances, filters by metadata. Without pgvector there is no index')

const missing = ['django', 'vecs'].filter((name) => versionOf(name) === undefined)
test('docs/clients.md contains the results of the scenarios', { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` }, () => {
  checkTable('python-frameworks', ['package', 'what works'], results)
})
