/**
 * A PgBouncer in transaction mode in front of a PostgreSQL server. It uses its server connections in turn, so that consecutive transactions of a
 * client run in different sessions.
 */
import { spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { unprivileged } from './account.mjs'
import { freePort, sleep } from './program.mjs'

/** Returns the configuration of PgBouncer: databases, address, users, and additional settings. */
export const pgbouncer = ({ databases, port, users, folder, more }) => `
[databases]
${databases}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${users}
max_client_conn = 200
${more}
`

const settings = (server, port, users, folder) => pgbouncer({
  databases: `* = host=${server.hostname} port=${server.port}`, port, users, folder,
  more: `pool_mode = transaction
default_pool_size = 20
server_round_robin = 1
ignore_startup_parameters = extra_float_digits,options,IntervalStyle`,
})

/**
 * Starts a PgBouncer in front of the server of a database URL. The program of PgBouncer is searched in PATH of `environment`.
 * @returns {Promise<{ url: string, of: (database: string) => string, stop: () => void }>} the URL of the database through PgBouncer
 */
export async function startPooler(database, environment = process.env) {
  const server = new URL(database)
  const folder = mkdtempSync(join(tmpdir(), 'cloch-pooler-'))
  if (unprivileged.uid !== undefined) chownSync(folder, unprivileged.uid, unprivileged.gid)
  const write = (name, text) => {
    writeFileSync(join(folder, name), text, { mode: 0o644 })
    return join(folder, name)
  }
  const port = await freePort()
  const users = write('users.txt', `"${server.username}" "${decodeURIComponent(server.password)}"\n`)
  const program = spawn('pgbouncer', ['-q', write('pgbouncer.ini', settings(server, port, users, folder))], {
    env: { ...environment, PATH: `${environment.PATH}:/usr/sbin` },
    stdio: ['ignore', 'inherit', 'inherit'],
    ...unprivileged,
  })
  await sleep(500)
  const of = (name) => Object.assign(new URL(server), { host: `127.0.0.1:${port}`, pathname: `/${name}` }).href
  const stop = () => {
    program.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
  return { url: of(server.pathname.slice(1)), of, stop }
}

/**
 * If suites run through a pooler (`CLOCH_TEST_POOLER`), starts the pooler. Returns the additional environment variables of a node, and a function
 * that stops the pooler.
 */
export async function throughPooler(database) {
  if (!process.env.CLOCH_TEST_POOLER) return { environment: {}, stop: () => {} }
  const { url, stop } = await startPooler(database)
  return { environment: { CLOCH_DB_POOLER_URL: url }, stop }
}
