/** PostgreSQL servers with a database that Supabase made (tests/support/supabase), and the comparison of such a database with an earlier state. */
import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from './ports.mjs'

const bin = [process.env.CLOCH_POSTGRES_BIN, ...versions()].find((folder) => folder && existsSync(join(folder, 'initdb')))

function versions() {
  const root = '/usr/lib/postgresql'
  return existsSync(root) ? readdirSync(root).map((version) => join(root, version, 'bin')) : []
}

const isRoot = process.getuid() === 0
const id = (flag) => Number(execFileSync('id', [flag, 'postgres']).toString())

/** Runs a program; as user postgres if this process is root's, because PostgreSQL refuses to run as root. */
function run(program, args, input) {
  const options = isRoot ? { uid: id('-u'), gid: id('-g') } : {}
  return execFileSync(program, args, { ...options, input, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'], maxBuffer: 2 ** 26 }).toString()
}

const file = (name) => readFileSync(join(import.meta.dirname, 'supabase', name), 'utf8')

/** Name of the database that Supabase made. */
const NAME = 'postgres'

class Server {
  constructor(folder, port) {
    this.folder = folder
    this.port = port
  }

  start() {
    const options = `-p ${this.port} -k ${this.folder} -c listen_addresses=127.0.0.1 -c fsync=off -c wal_level=logical -c jit=off`
    run(join(bin, 'pg_ctl'), ['-D', join(this.folder, 'db'), '-s', '-w', '-l', join(this.folder, 'log'), '-o', options, 'start'])
  }

  stop() {
    run(join(bin, 'pg_ctl'), ['-D', join(this.folder, 'db'), '-s', '-m', 'immediate', 'stop'])
  }

  url(login, database = NAME) {
    return `postgres://${login}@127.0.0.1:${this.port}/${database}?sslmode=disable`
  }

  /** Executes statements as the superuser. Returns the rows of the last query. */
  sql(text) {
    return run('psql', ['-X', '-q', '-At', '-v', 'ON_ERROR_STOP=1', '-f', '-', this.url('supabase_admin')], text).trim()
  }

  /** Executes a script and then the statement `then` as `login`, in one transaction unless the script contains its own transactions. */
  apply(login, text, then = '') {
    const flags = ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '--single-transaction', '-f', '-', ...(then ? ['-c', then] : [])]
    run('psql', [...flags, this.url(login)], text)
  }

  /** Returns the definitions and rows of all objects outside of schema cloch, and the cluster's roles, as text by object. */
  state() {
    const database = run(join(bin, 'pg_dump'), ['--create', '--exclude-schema', 'cloch', this.url('supabase_admin')])
    return new Map([...entries(database), ['roles', lines(run(join(bin, 'pg_dumpall'), ['--roles-only', '-d', this.url('supabase_admin')]))]])
  }

  /** Returns the whole database, including schema cloch, and the roles as text. */
  dump() {
    const text = run(join(bin, 'pg_dump'), ['--create', this.url('supabase_admin')]) + run(join(bin, 'pg_dumpall'), ['--roles-only', '-d', this.url('supabase_admin')])
    return lines(text).join('\n')
  }

  /** Stops the server cleanly, so that its files can be copied: `supabaseDatabase({ from: server })`. */
  keep() {
    run(join(bin, 'pg_ctl'), ['-D', join(this.folder, 'db'), '-s', '-m', 'fast', 'stop'])
    this.isKept = true
  }

  remove() {
    if (!this.isKept) this.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** The lines of a dump that define something: no comments, no settings of the session, and no words that differ in each dump. */
const lines = (text) =>
  text.split('\n').map((line) => line.trim().replace(/,$/, '')).filter((line) => line !== '' && !/^(--|SET |SELECT pg_catalog\.(set_config|setval)|\\(un)?(restrict|connect) )/.test(line))

/** Returns the entries of a dump by the title that pg_dump gave them. Daily partitions are left out, because they are created and dropped all
 * the time. */
export function entries(dump) {
  const found = new Map()
  for (const part of dump.split(/\n--\n-- (?=(?:Data for )?Name: )/).slice(1)) {
    const title = part.slice(0, part.indexOf('\n'))
    if (/messages_\d{4}_\d{2}_\d{2}/.test(title)) continue
    found.set(title, [...(found.get(title) ?? []), ...lines(part.slice(part.indexOf('\n')))])
  }
  return found
}

/**
 * Returns the differences between two states of a database. @returns `lost`: lines of objects that are gone or changed; `widened`: lines that
 * were added to existing objects; `added`: titles of new objects.
 */
export function compare(before, after) {
  const [lost, widened, added] = [[], [], []]
  for (const [title, old] of before) {
    const left = [...(after.get(title) ?? [])]
    for (const line of old) {
      const at = left.indexOf(line)
      if (at < 0) lost.push(`${title}: ${line}`)
      else left.splice(at, 1)
    }
    widened.push(...left.map((line) => `${title}: ${line}`))
  }
  for (const title of after.keys()) if (!before.has(title)) added.push(title)
  return { lost, widened, added }
}

let prepared

/**
 * Starts a server with the database that Supabase made. `change`: SQL text that the superuser executes first. `from`: a stopped server (`keep()`)
 * whose database is copied instead.
 */
export async function supabaseDatabase(change = '', { from } = {}) {
  if (!from) prepared ??= await prepare()
  const server = new Server(newFolder(), await freePort())
  run('cp', ['-a', join(from?.folder ?? prepared, 'db'), server.folder])
  server.start()
  if (change) server.sql(change)
  return server
}

/** Removes the files from which servers are copied. */
export const removePrepared = () => prepared && rmSync(prepared, { recursive: true, force: true })

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-supabase-'))
  if (isRoot) chownSync(folder, id('-u'), id('-g'))
  return folder
}

async function prepare() {
  const server = new Server(newFolder(), await freePort())
  run(join(bin, 'initdb'), ['-D', join(server.folder, 'db'), '-U', 'supabase_admin', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'])
  server.start()
  server.sql(file('roles.sql'))
  server.sql(`alter database ${NAME} owner to postgres`)
  server.sql(file('database.sql'))
  server.keep()
  return server.folder
}
