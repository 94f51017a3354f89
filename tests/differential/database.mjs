// A PostgreSQL server for this suite, in a temporary folder that is deleted when the suite ends.

import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { end, ended, onFreePort } from './processes.mjs'

const here = import.meta.dirname

function binaries() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [process.env.CLOCH_POSTGRES_BIN, ...versions.map((version) => join(root, version, 'bin')), ...process.env.PATH.split(':')]
  const found = folders.find((folder) => folder && existsSync(join(folder, 'initdb')))
  if (!found) throw new Error('PostgreSQL is missing: run scripts/setup')
  return found
}

/** PostgreSQL refuses to run as root. In that case it runs as the user that its package has created, or as nobody. */
function account() {
  if (process.getuid?.() !== 0) return {}
  const id = (flag, name) => Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString())
  for (const name of ['postgres', 'nobody'])
    try {
      return { uid: id('-u', name), gid: id('-g', name), cwd: '/' }
    } catch {
      // the next
    }
  throw new Error('there is no account for PostgreSQL to run as')
}

/** Starts a database on a separate server, and applies the given files to it. */
export const startDatabase = (options = {}) => onFreePort((port) => databaseOn(port, options))

async function databaseOn(port, { schemas = ['schema.sql', 'shipyard.sql'], settings = [] }) {
  const bin = binaries()
  const folder = mkdtempSync(join(tmpdir(), 'cloch-differential-'))
  const as = account()
  if (as.uid !== undefined) chownSync(folder, as.uid, as.gid)
  const data = join(folder, 'data')
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--locale=C.UTF-8', '-E', 'UTF8'], { stdio: 'ignore', ...as })
  // Nothing may change between the two responses to a request. Therefore the server collects no statistics in the background, and does not change
  // query plans.
  const fixed = { listen_addresses: '127.0.0.1', fsync: 'off', max_connections: 150, autovacuum: 'off', jit: 'off', max_parallel_workers_per_gather: 0 }
  const given = [...Object.entries(fixed), ...settings].flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const start = () => spawn(join(bin, 'postgres'), ['-D', data, '-k', folder, '-p', String(port), ...given], { stdio: 'ignore', ...as })
  let child = start()
  const psql = (...args) =>
    execFileSync('psql', ['-h', folder, '-p', String(port), '-U', 'postgres', '-qXv', 'ON_ERROR_STOP=1', ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PGOPTIONS: '-c client_min_messages=error' } }).toString()
  const untilReady = async () => {
    for (let attempt = 0; ; attempt++) {
      try {
        execFileSync('psql', ['-h', folder, '-p', String(port), '-U', 'postgres', '-qXc', 'select 1', 'postgres'], { stdio: 'ignore' })
        return
      } catch (error) {
        if (attempt > 300 || ended(child)) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
  const halt = () => end(child, 'SIGINT')
  const stop = async () => {
    await halt()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilReady()
    psql('-c', 'create database harbour', 'postgres')
    psql('-f', join(here, 'roles.sql'), 'harbour')
    for (const schema of schemas) psql('-f', join(here, schema), 'harbour')
  } catch (error) {
    await stop()
    throw error
  }
  return {
    folder,
    port,
    /** Folder with PostgreSQL's programs. */
    bin,
    psql: (sql) => psql('-Atc', sql, 'harbour'),
    url: `postgres://authenticator@127.0.0.1:${port}/harbour`,
    /** `halt` stops the server. `return` starts it again. */
    halt,
    async return() {
      child = start()
      await untilReady()
    },
    stop,
  }
}

export function writeConfig(folder, name, lines) {
  const path = join(folder, name)
  writeFileSync(path, lines.map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join('\n'))
  return path
}
