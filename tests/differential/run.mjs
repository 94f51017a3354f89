// Sends every case to PostgREST and to Cloch, and lists the cases in which the responses differ. A difference is accepted only if
// `differences.mjs` lists it with its reason. Usage: node run.mjs [words that a case must contain]

import { startDatabase } from './database.mjs'
import { postgrestBinary, startServers, send, untilAnswers } from './servers.mjs'
import { cases } from './cases.mjs'
import './shipyard.mjs'
import './corners.mjs'
import { random } from './generated/random.mjs'
import './generated/aliases.mjs'
import './generated/results.mjs'
import './generated/csv.mjs'
import { rolesSql } from './generated/roles.mjs'
import { holds, probe, settings, settled } from './settings.mjs'
import { differences } from './differences.mjs'
import { renamed, same, view } from './compare.mjs'

if (!postgrestBinary()) {
  console.log(`there is no PostgREST for ${process.platform}-${process.arch} to compare with`)
  process.exit(0)
}
const words = process.argv.slice(2)
const chosen = (list) => list.filter((one) => words.every((word) => JSON.stringify(one).includes(word)))
const explained = new Map()
let [asked, differing] = [0, 0]

console.log(`CLOCH_ORACLE_SEED=${random.seed}`)
const database = await startDatabase({ schemas: ['schema.sql', 'shipyard.sql', 'generated.sql'] })
try {
  database.psql(rolesSql)
  const servers = await startServers(database, { schemas: 'harbour,annex,basin' })
  try {
    await compareAll(servers, chosen(cases))
    for (const [name, value] of Object.entries(settings)) database.psql(`alter role authenticator set pgrst.${name} = '${value}'`)
    database.psql("notify pgrst, 'reload config'")
    await untilAnswers(servers, probe, holds)
    await compareAll(servers, chosen(settled))
  } finally {
    await servers.stop()
  }
} finally {
  await database.stop()
}
console.log(`\n${asked} requests, ${differing} unexplained differences; explained:`)
for (const [name, count] of explained) console.log(`  ${String(count).padStart(5)}  ${name}`)
process.exit(differing === 0 ? 0 : 1)

/** Reads run in parallel. Writes run one by one, because they would wait for each other's row locks. */
async function compareAll(servers, list) {
  const isRead = (one) => /^(GET|HEAD|OPTIONS)$/.test(one.method)
  let batch = []
  const settle = async () => {
    await Promise.all(batch.map((one) => compare(servers, one)))
    batch = []
  }
  for (const one of list) {
    if (!isRead(one)) await settle()
    batch.push(one)
    if (!isRead(one)) await settle()
    if (batch.length === 8) await settle()
  }
  await settle()
}

async function compare(servers, one) {
  asked += 1
  const unique = one.asked ? { ...one, path: one.asked } : one
  const [expected, found] = renamed(one, await Promise.all([send(servers.postgrest.port, unique), send(servers.cloch.port, one)].map((p) => p.then(view))))
  if (same(expected, found)) return
  const reason = differences.find((difference) => difference.fits(one, expected, found))
  if (reason) {
    explained.set(reason.name, (explained.get(reason.name) ?? 0) + 1)
    return
  }
  differing += 1
  console.log(`\n${one.method} ${one.path} ${one.role ?? ''} ${JSON.stringify(one.headers ?? {})} ${one.body ?? ''}`)
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)]))
    if (!same(expected[key], found[key])) console.log(`  ${key}\n    postgrest ${JSON.stringify(expected[key])}\n    cloch     ${JSON.stringify(found[key])}`)
}
