/**
 * Runs suites of tests/client through PgBouncer in transaction mode, so that every transaction may get another session. A suite that starts
 * its own database also starts a pooler for this database.
 *
 *     scripts/with-postgres node tests/cluster/pooler.mjs [SUITE…]
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'

import { startPooler } from '../support/pooler.mjs'
import { environment } from './cluster.mjs'

const OWN_DATABASE = ['backup_provider', 'read_replica']
const suites = process.argv.length > 2 ? process.argv.slice(2) : ['rest', 'rest_limits', 'storage', ...OWN_DATABASE]
const client = resolve(import.meta.dirname, '../client')
const server = process.env.CLOCH_TEST_DB_URL
const pooler = await startPooler(server, environment)

/** Returns the environment variables of a suite. A suite that uses the given database server gets a new, empty database on this server. */
function variables(suite) {
  if (OWN_DATABASE.includes(suite)) return { CLOCH_TEST_POOLER: '1' }
  const database = `through_pooler_${suite}`
  const at = (name) => Object.assign(new URL(server), { pathname: `/${name}` }).href
  execFileSync('psql', ['-q', at('postgres'), '-c', `drop database if exists ${database}`, '-c', `create database ${database}`])
  return { CLOCH_DB_URL: at(database), CLOCH_DB_POOLER_URL: pooler.of(database) }
}

let failed = 0
for (const suite of suites) {
  const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', join(client, `${suite}.test.mjs`)], {
    stdio: 'inherit',
    env: { ...process.env, ...variables(suite) },
  })
  if (status !== 0) failed += 1
}
pooler.stop()
console.log(`${suites.length - failed} of ${suites.length} suites passed through the pooler`)
process.exit(failed ? 1 : 0)
