// Random schema changes between requests, compared with PostgREST on the same database. After each change, every request is sent to Cloch twice: at
// once, before Cloch has been notified of the change, and again when both servers have reloaded the catalog. The second response must be equal to
// PostgREST's response. The first response may be an error, but may not contain other rows. Usage: node schema_changes.mjs [--steps 300] [--seed 1].
// Needs target/debug/examples/rest (cargo build -p cloch-rest --example rest).

import { startDatabase } from '../differential/database.mjs'
import { same, view } from '../differential/compare.mjs'
import { differences as ofReleases } from '../differential/differences.mjs'
import { postgrestBinary, send, startServers } from '../differential/servers.mjs'
import { openSession } from '../differential/session.mjs'
import { START, catalogOf } from './schema_catalog.mjs'
import { kinds } from './schema_ddl.mjs'
import { explain } from './schema_explanations.mjs'
import { request, shape } from './schema_requests.mjs'
import { random } from './schema_values.mjs'

/** Number of requests that are repeated in several steps. Their statements are therefore already prepared when the schema changes. */
const SHAPES = 8
/** Number of these requests that are replaced in each step. */
const NEW_SHAPES = 2
const CONNECTIONS = 3
const NOTIFY = "notify pgrst, 'reload schema'; notify pgrst, 'reload config'"

const settings = { schemas: 'public', searchPath: 'public', ready: [{ method: 'GET', path: '/t_alpha?limit=1' }, undefined], pool: CONNECTIONS }

async function startAll() {
  const database = await startDatabase({ schemas: [] })
  try {
    database.psql(START)
    return { database, servers: await startServers(database, settings) }
  } catch (error) {
    await database.stop()
    throw error
  }
}

/**
 * Changes the schema. If PostgreSQL refuses the statement, nothing changes. A probe function, which the same step creates, later shows whether a
 * server has read the change.
 */
async function change(session, kind, catalog, source, step) {
  const sql = kind.make(catalog, source)
  if (!sql) return
  try {
    await session.query(sql)
  } catch (error) {
    if (!error.code) throw error
    return
  }
  // An added enum label can only be used after its transaction has ended.
  await session.query(`create function probe_${step}() returns integer language sql immutable as 'select ${step}'; drop function if exists probe_${step - 1};`)
  return sql
}

/** Waits until both servers have loaded the catalog with the probe function. */
async function reloaded(session, servers, step) {
  const knows = async (server) => (await send(server.port, { method: 'GET', path: `/rpc/probe_${step}`, role: 'service' })).status === 200
  let waiting = Object.entries(servers).filter(([, server]) => server.port)
  for (let attempt = 0; attempt < 200; attempt++) {
    if (attempt % 50 === 0) await session.query(NOTIFY)
    // Waits first, because each request delays the reload, and no server can be ready earlier.
    await new Promise((resolve) => setTimeout(resolve, attempt === 0 ? 120 : 50))
    const known = await Promise.all(waiting.map(([, server]) => knows(server)))
    waiting = waiting.filter((_, at) => !known[at])
    if (waiting.length === 0) return
  }
  throw new Error(`${waiting.map(([name]) => name)} has not noticed step ${step}`)
}

export async function compareChanges({ steps, seed, log = console.log }) {
  const source = random(seed)
  log(`seed ${seed}, ${steps} steps`)
  const { database, servers } = await startAll()
  const found = { steps: 0, requests: 0, changes: {}, explained: {}, unexplained: [] }
  const ask = async (name, one) => view(await send(servers[name].port, one))
  const note = (when, kind, sql, one, [expected, answer]) => {
    found.requests += 1
    if (same(expected, answer)) return
    const early = when === 'before the reload'
    const reason = explain(one, expected, answer, { early, kind }) ?? ofReleases.find((each) => each.fits(one, expected, answer))?.name
    if (reason) {
      found.explained[reason] = (found.explained[reason] ?? 0) + 1
      return
    }
    found.unexplained.push({ step: found.steps, when, kind, sql, request: one, expected, answer })
    log(`\nstep ${found.steps}, ${when}, after ${kind}: ${sql}\n  ${one.method} ${one.path} ${one.role} ${JSON.stringify(one.headers)} ${one.body ?? ''}\n  postgrest ${JSON.stringify(expected)}\n  cloch     ${JSON.stringify(answer)}`)
  }
  let shapes = []
  const session = await openSession(database)
  try {
    let catalog = await catalogOf(session)
    while (found.steps < steps) {
      while (shapes.length < SHAPES) shapes.push(shape(catalog, source))
      // A connection prepares a statement when it uses the statement for the second time.
      for (let times = 0; times < 2 * CONNECTIONS; times += 1) await Promise.all(shapes.map((one) => send(servers.cloch.port, request(one, catalog, source))))
      const kind = source.pick(kinds)
      const step = found.steps + 1
      const sql = await change(session, kind, catalog, source, step)
      if (!sql) continue
      found.steps = step
      found.changes[kind.name] = (found.changes[kind.name] ?? 0) + 1
      catalog = await catalogOf(session)
      const requests = shapes.map((one) => request(one, catalog, source))
      const early = await Promise.all(requests.map((one) => ask('cloch', one)))
      await reloaded(session, servers, step)
      for (const [at, one] of requests.entries()) {
        const [expected, answer] = [await ask('postgrest', one), await ask('cloch', one)]
        note('before the reload', kind.name, sql, one, [expected, early[at]])
        note('after the reload', kind.name, sql, one, [expected, answer])
      }
      shapes = shapes.toSorted(() => source.below(3) - 1).slice(NEW_SHAPES)
    }
  } finally {
    session.close()
    await servers.stop()
    await database.stop()
  }
  return found
}

export const canRun = () => Boolean(postgrestBinary())

if (process.argv[1] === import.meta.filename) {
  const option = (name, fallback) => (process.argv.includes(`--${name}`) ? Number(process.argv[process.argv.indexOf(`--${name}`) + 1]) : fallback)
  const found = await compareChanges({ steps: option('steps', 300), seed: option('seed', 1) })
  const { unexplained, ...rest } = found
  console.log(JSON.stringify(rest, null, 1), `${unexplained.length} unexplained differences`)
  process.exit(unexplained.length ? 1 : 0)
}
