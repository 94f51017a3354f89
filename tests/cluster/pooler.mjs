/**
 * Runs suites of tests/client through PgBouncer in transaction mode, which takes its connections in turn, so that every transaction
 * may get another session.
 *
 *     scripts/with-postgres node tests/cluster/pooler.mjs [SUITE…]
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { freePort } from '../support/ports.mjs'
import { sleep } from '../support/program.mjs'
import { environment, unprivileged } from './cluster.mjs'
import { transactionPooler } from './settings.mjs'

const suites = process.argv.length > 2 ? process.argv.slice(2) : ['rest', 'rest_limits', 'storage']
const client = resolve(import.meta.dirname, '../client')
const server = new URL(process.env.CLOCH_TEST_DB_URL)
const folder = mkdtempSync(join(tmpdir(), 'cloch-pooler-'))
if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid)

const port = await freePort()
const write = (name, text) => {
  writeFileSync(join(folder, name), text, { mode: 0o644 })
  return join(folder, name)
}
const users = write('users.txt', `"${server.username}" ""\n`)
const pooler = spawn('pgbouncer', ['-q', write('pgbouncer.ini', transactionPooler(server, port, users, folder))], { env: environment, stdio: ['ignore', 'inherit', 'inherit'], ...unprivileged })
await sleep(500)

let failed = 0
for (const suite of suites) {
  const database = `through_pooler_${suite}`
  const at = (name) => Object.assign(new URL(server), { pathname: `/${name}` }).href
  execFileSync('psql', ['-q', at('postgres'), '-c', `drop database if exists ${database}`, '-c', `create database ${database}`])
  const { status } = spawnSync(process.execPath, ['--test', '--test-reporter=spec', join(client, `${suite}.test.mjs`)], {
    stdio: 'inherit',
    env: { ...process.env, CLOCH_DB_URL: at(database), CLOCH_DB_POOLER_URL: Object.assign(new URL(at(database)), { host: `127.0.0.1:${port}` }).href },
  })
  if (status !== 0) failed += 1
}
pooler.kill('SIGTERM')
rmSync(folder, { recursive: true, force: true })
console.log(`${suites.length - failed} of ${suites.length} suites passed through the pooler`)
process.exit(failed ? 1 : 0)
