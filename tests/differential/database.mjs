// A PostgreSQL of the suite's own, in a temporary folder, gone when the suite ends.

import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const here = import.meta.dirname

function binaries() {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.map((version) => join(root, version, 'bin')).find((folder) => existsSync(join(folder, 'initdb')))
  if (!found) throw new Error('no PostgreSQL server binaries under /usr/lib/postgresql')
  return found
}

// PostgreSQL refuses to run as root.
const isRoot = process.getuid?.() === 0
const asServer = (file, args) => (isRoot ? ['runuser', ['-u', 'postgres', '--', file, ...args]] : [file, args])

export async function startDatabase(port, schema = 'schema.sql') {
  const bin = binaries()
  const folder = mkdtempSync(join(tmpdir(), 'cloch-differential-'))
  if (isRoot) {
    const id = (flag) => Number(execFileSync('id', [flag, 'postgres']).toString())
    chownSync(folder, id('-u'), id('-g'))
  }
  const data = join(folder, 'data')
  const [init, initArgs] = asServer(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '--locale=C.UTF-8', '-E', 'UTF8'])
  execFileSync(init, initArgs, { stdio: 'ignore' })
  const settings = ['-k', folder, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-c', 'max_connections=150']
  const [server, serverArgs] = asServer(join(bin, 'postgres'), ['-D', data, ...settings])
  const process_ = spawn(server, serverArgs, { stdio: 'ignore' })
  const psql = (...args) =>
    execFileSync('psql', ['-h', folder, '-p', String(port), '-U', 'postgres', '-qXv', 'ON_ERROR_STOP=1', ...args], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PGOPTIONS: '-c client_min_messages=error' } }).toString()
  for (let attempt = 0; ; attempt++) {
    try {
      execFileSync('psql', ['-h', folder, '-p', String(port), '-U', 'postgres', '-qXc', 'select 1', 'postgres'], { stdio: 'ignore' })
      break
    } catch (error) {
      if (attempt > 100) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const stop = async () => {
    const ended = new Promise((resolve) => process_.once('exit', resolve))
    process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGINT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    psql('-c', 'create database harbour', 'postgres')
    psql('-f', join(here, 'roles.sql'), 'harbour')
    psql('-f', join(here, schema), 'harbour')
  } catch (error) {
    await stop()
    throw error
  }
  return {
    folder,
    port,
    psql: (sql) => psql('-Atc', sql, 'harbour'),
    url: `postgres://authenticator@127.0.0.1:${port}/harbour`,
    stop,
  }
}

export function writeConfig(folder, name, lines) {
  const path = join(folder, name)
  writeFileSync(path, lines.map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join('\n'))
  return path
}
