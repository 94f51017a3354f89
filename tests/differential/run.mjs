// Sends every case to PostgREST and to Cloch and lists where they differ. A difference is right only if `differences.mjs` names
// it, with its reason. Usage: node run.mjs [words that a case must contain]

import { startDatabase } from './database.mjs'
import { startServers, send } from './servers.mjs'
import { cases } from './cases.mjs'
import { differences } from './differences.mjs'
import { same, view } from './compare.mjs'

const words = process.argv.slice(2)
const chosen = cases.filter((one) => words.every((word) => JSON.stringify(one).includes(word)))
const database = await startDatabase()
let failed = 1
try {
  const servers = await startServers(database)
  try {
    failed = await compareAll(servers)
  } finally {
    await servers.stop()
  }
} finally {
  await database.stop()
}
process.exit(failed === 0 ? 0 : 1)

async function compareAll(servers) {
  const explained = new Map()
  let differing = 0
  for (const one of chosen) {
    const [expected, found] = await Promise.all([send(servers.postgrest.port, one), send(servers.cloch.port, one)].map((p) => p.then(view)))
    if (same(expected, found)) continue
    const reason = differences.find((difference) => difference.fits(one, expected, found))
    if (reason) {
      explained.set(reason.name, (explained.get(reason.name) ?? 0) + 1)
      continue
    }
    differing += 1
    console.log(`\n${one.method} ${one.path} ${one.role ?? ''} ${JSON.stringify(one.headers ?? {})} ${one.body ?? ''}`)
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)]))
      if (!same(expected[key], found[key])) console.log(`  ${key}\n    postgrest ${JSON.stringify(expected[key])}\n    cloch     ${JSON.stringify(found[key])}`)
  }
  console.log(`\n${chosen.length} requests, ${differing} unexplained differences; explained:`)
  for (const [name, count] of explained) console.log(`  ${String(count).padStart(5)}  ${name}`)
  return differing
}
