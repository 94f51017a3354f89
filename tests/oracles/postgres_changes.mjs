/**
 * Compares the changes that supabase-js subscribers receive with the expected changes. A second reader of PostgreSQL's log (test_decoding) finds all
 * changes, and plain SQL determines which of them each subscriber may read. The changes are random. Usage: node postgres_changes.mjs [changes]
 * [subscribers] [seed]
 */
import { deepStrictEqual } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { sleep, startProject } from '../support/program.mjs'
import { differences, expected, readCatalog } from './postgres_changes/expected.mjs'
import { random as randomOf } from './postgres_changes/random.mjs'
import { Session } from './postgres_changes/sql.mjs'
import { plan, subscribe } from './postgres_changes/subscribers.mjs'
import { migration, tables } from './postgres_changes/tables.mjs'
import { readChanges } from './postgres_changes/wal.mjs'
import { between, write, writersNeeded } from './postgres_changes/writer.mjs'

const SLOT = 'oracle'
/** Number of groups of changes between two comparisons. The number is small, so that a difference is found near its cause. */
const COMPARED_GROUPS = 10

/** Thrown if the comparison is not possible on this machine. */
export class Missing extends Error {}

/** Returns the URL of the database for its superuser, who may read PostgreSQL's log. */
function superuserUrl(cloch) {
  const url = new URL(cloch.keys.DB_URL)
  url.username = 'supabase_admin'
  url.password = /^supabase_admin = "(.*)"$/m.exec(readFileSync(join(cloch.data, 'secrets.toml'), 'utf8'))[1]
  return url.href
}

/** Runs the comparison and returns its figures. Throws at the first difference. */
export async function compare({ changes: wanted, subscribers: count, seed }) {
  if (spawnSync('psql', ['--version']).status !== 0) throw new Missing('psql is missing: install postgresql-client')
  const random = randomOf(seed)
  const cloch = await startProject({ from: null, files: { 'migrations/1_tables.sql': migration } })
  const sessions = Array.from({ length: writersNeeded + 1 }, () => new Session(superuserUrl(cloch)))
  const [reader, ...writers] = sessions
  let subscribers = []
  try {
    subscribers = await Promise.all(plan(random, count).map((one) => subscribe(cloch, one)))
    await reader.run(`select pg_create_logical_replication_slot('${SLOT}', 'test_decoding', true)`)
    const faults = reader.faults()
    if (/could not access file "test_decoding"/.test(faults)) throw new Missing('the plugin test_decoding is missing: install postgresql (Debian), or postgresql-contrib')
    if (faults) throw new Error(faults)
    return await run({ random, reader, writers, subscribers, wanted })
  } catch (error) {
    error.message += `\nseed ${seed}`
    throw error
  } finally {
    if (process.env.SHOW) console.log(cloch.output())
    subscribers.forEach((subscriber) => subscriber.close())
    sessions.forEach((session) => session.end())
    await cloch.remove()
  }
}

async function run({ random, reader, writers, subscribers, wanted }) {
  const figures = { changes: 0, groups: 0, messages: 0, kinds: {} }
  const kept = subscribers.map(({ bindings }) => bindings.map(() => []))
  let catalog = await readCatalog(reader)
  while (figures.changes < wanted) {
    if (random.chance(0.15)) {
      await writers[0].must(random.one(Object.values(between))(random, Object.keys(tables)))
      catalog = await readCatalog(reader)
    }
    await write(random, writers, catalog)
    figures.groups += 1
    const decoded = await readChanges(reader, SLOT)
    const known = decoded.filter(({ table }) => table in tables)
    figures.changes += known.length
    for (const { kind } of known) figures.kinds[kind] = (figures.kinds[kind] ?? 0) + 1
    const lists = await expected(reader, catalog, subscribers, known)
    lists.forEach((bindings, n) => bindings.forEach((list, at) => kept[n][at].push(...list)))
    await allHear(writers[0], subscribers, figures.groups)
    if (figures.groups % COMPARED_GROUPS === 0 || figures.changes >= wanted) {
      figures.messages += settle(subscribers, kept)
    }
  }
  return figures
}

/** Waits until all subscribers have received a marker change. Then they have received all changes that were committed before the marker. */
async function allHear(session, subscribers, mark) {
  await session.must(`insert into public.oracle_marks values (${mark})`)
  for (let waited = 0; subscribers.some(({ heard }) => heard.mark < mark); waited += 2) {
    const errors = subscribers.flatMap(({ heard }) => heard.errors)
    if (errors.length) throw new Error(`subscribers were told: ${[...new Set(errors)].join('; ')}`)
    if (waited > 30_000) throw new Error(`mark ${mark} has not arrived`)
    await sleep(2)
  }
}

/** Compares the received changes with the expected ones, and discards both. Returns the number of messages. */
function settle(subscribers, kept) {
  let messages = 0
  subscribers.forEach(({ claims, bindings, heard }, n) =>
    bindings.forEach((binding, at) => {
      const found = heard.changes[at].splice(0).map(({ eventType, table, new: row, old, errors }) => ({ eventType, table, new: row, old, ...(errors ? { errors } : {}) }))
      const right = kept[n][at].splice(0)
      messages += right.length
      const where = `${JSON.stringify(claims)} ${JSON.stringify(binding)}`
      right.forEach((message, place) => deepStrictEqual(found[place], message, `message ${place} of ${right.length} (${found.length} came) to ${where}\ncame ${JSON.stringify(found[place])}\nright ${JSON.stringify(message)}`))
      deepStrictEqual(found.length, right.length, `extra messages to ${where}: ${JSON.stringify(found.slice(right.length))}`)
    }),
  )
  return messages
}

if (process.argv[1] === import.meta.filename) {
  const [changes = 300, count = 20, seed = Math.floor(Math.random() * 2 ** 31)] = process.argv.slice(2).map(Number)
  console.log(`seed ${seed}`)
  const begun = performance.now()
  console.log(await compare({ changes, subscribers: count, seed }))
  console.log(`${Math.round((performance.now() - begun) / 1_000)} s. The rules, where they are not plain:`)
  for (const [here, upstream] of differences) console.log(`  ${here} Upstream: ${upstream}`)
}
