/** A PostgreSQL server with a streaming standby, each on a separate port. Tests stop, freeze, kill and promote them. Nothing is synced to disk. */
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from './program.mjs'

const bin = [process.env.CLOCH_POSTGRES_BIN, ...versions()].find((folder) => folder && existsSync(join(folder, 'initdb')))

function versions() {
  const root = '/usr/lib/postgresql'
  return existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : []
}

const isRoot = process.getuid() === 0
const id = (flag) => Number(execFileSync('id', [flag, 'postgres']).toString())

/** Runs a program of PostgreSQL. If root runs the tests, the program runs as user postgres. */
function run(program, ...given) {
  const options = isRoot ? { uid: id('-u'), gid: id('-g'), cwd: '/' } : { cwd: '/' }
  return execFileSync(join(bin, program), given, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }).toString()
}

class Server {
  constructor(folder, port) {
    this.folder = folder
    this.port = port
  }

  start() {
    run('pg_ctl', '-D', this.folder, '-s', '-w', '-l', `${this.folder}.log`, 'start')
  }

  stop(mode = 'immediate') {
    run('pg_ctl', '-D', this.folder, '-s', '-m', mode, 'stop')
  }

  promote() {
    run('pg_ctl', '-D', this.folder, '-s', '-w', 'promote')
  }

  sql(text) {
    return run('psql', '-h', '127.0.0.1', '-p', String(this.port), '-U', 'supabase_admin', '-d', 'postgres', '-Atc', text).trim()
  }

  /**
   * Kills all processes of the server, and deletes its pid file. A killed process keeps its id until its parent collects it, and meanwhile the pid
   * file would prevent the next start.
   */
  kill() {
    this.signal('SIGKILL')
    rmSync(join(this.folder, 'postmaster.pid'))
    rmSync(join(this.folder, `../.s.PGSQL.${this.port}.lock`))
  }

  /** Sends a signal to all processes of the server. */
  signal(name) {
    const postmaster = Number(readFileSync(join(this.folder, 'postmaster.pid'), 'utf8').split('\n')[0])
    const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').filter(Boolean)
    for (const process_ of [postmaster, ...children.map(Number)]) {
      try {
        process.kill(process_, name)
      } catch {
        // The process has already ended.
      }
    }
  }
}

/**
 * Starts both servers. `url` contains both hosts; `remove` stops the servers and deletes their folders.
 * @param {{ synchronous?: boolean, ofStandby?: string[] }} options `synchronous`: whether a commit waits for the standby; `ofStandby`: lines of the
 * standby's postgresql.conf
 */
export async function startPair({ synchronous = true, ofStandby = [] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-pair-'))
  if (isRoot) chownSync(folder, id('-u'), id('-g'))
  const first = new Server(join(folder, 'first'), await freePort())
  const second = new Server(join(folder, 'second'), await freePort())
  run('initdb', '-D', first.folder, '-U', 'supabase_admin', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync')
  const settings = (server) =>
    [
      `port = ${server.port}`,
      `unix_socket_directories = '${folder}'`,
      "listen_addresses = '127.0.0.1'",
      'wal_level = logical',
      'fsync = off',
      'full_page_writes = off',
      'jit = off',
      '',
    ].join('\n')
  writeFileSync(join(first.folder, 'postgresql.auto.conf'), settings(first))
  first.start()
  run('pg_basebackup', '-h', '127.0.0.1', '-p', String(first.port), '-U', 'supabase_admin', '-D', second.folder, '-R', '-c', 'fast', '-X', 'stream', '--no-sync')
  const following = readFileSync(join(second.folder, 'postgresql.auto.conf'), 'utf8').split('\n').filter((line) => line.startsWith('primary_conninfo'))
  writeFileSync(join(second.folder, 'postgresql.auto.conf'), [settings(second), ...ofStandby, ...following].join('\n'))
  second.start()
  if (synchronous) {
    first.sql(`alter system set synchronous_standby_names = '*'`)
    first.sql('select pg_reload_conf()')
  }
  const remove = () => {
    for (const server of [first, second]) {
      if (!existsSync(join(server.folder, 'postmaster.pid'))) continue
      server.signal('SIGCONT')
      server.stop()
    }
    rmSync(folder, { recursive: true, force: true })
  }
  const hosts = [first, second].map(({ port }) => `127.0.0.1:${port}`).join(',')
  const url = `postgres://supabase_admin@${hosts}/postgres?sslmode=disable&target_session_attrs=read-write`
  return { first, second, url, remove }
}
