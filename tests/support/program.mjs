/**
 * A running `cloch` for black-box tests, with a separate project, ports and data folder. Tests use only its URL, the keys that `cloch status` prints,
 * and its folder.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, closeSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, openSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

import { freePort } from './ports.mjs'
import { copyPrepared } from './prepared.mjs'

export { freePort }

const root = resolve(import.meta.dirname, '../..')

/** The club's project. */
const club = join(root, 'supabase-config')

// Test projects use folders beside the project and variables that the tests set, so both are allowed here. hostile_folders.test.mjs tests what an
// operator must allow.
process.env.CLOCH_ALLOW_PATHS ??= `${tmpdir()}:${root}`
process.env.CLOCH_PROJECT_ENV ??= '*'

/** The secret keys of the started programs, by the URL of the program. */
export const serviceKeys = new Map()

/** The program under test. */
export const binary =
  process.env.CLOCH_TEST_PROGRAM ?? join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'debug/cloch')

/**
 * Creates a project and a data folder in a temporary folder.
 * @param {{ from?: string | null, seed?: boolean, change?: (config: string) => string, files?: Record<string, string> }} options
 *   `from`: the project folder to copy, by default the club's, `null` for an empty project; `change`: edits config.toml; `files`: files to write
 *   into the copy; `fresh`: the first start has no data folder, as for a user. Without `fresh`, the first start gets a copy of a data folder that
 *   already contains the platform SQL and the club's migrations. A project with a seed never gets such a copy, because only a new database is seeded.
 */
export async function makeProject({ from = club, seed = false, fresh = false, change, files = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-test-'))
  // If root runs the test, the account of the database must be able to enter its folder.
  chmodSync(folder, 0o755)
  const project = join(folder, 'supabase-config')
  // Copies the target of a link, not the link itself, because tests change the copy.
  if (from) cpSync(realpathSync(from), project, { recursive: true })
  else mkdirSync(join(project, 'migrations'), { recursive: true })
  const [port, databasePort] = [await freePort(), await freePort()]
  const file = join(project, 'config.toml')
  let config = existsSync(file) ? readFileSync(file, 'utf8') : 'project_id = "test"\n\n[api]\nport = 54321\n\n[db]\nport = 54322\n\n[db.seed]\nenabled = true\n'
  config = config
    .replace(/^port = 54321$/m, `port = ${port}`)
    .replace(/^port = 54322$/m, `port = ${databasePort}`)
    .replaceAll('127.0.0.1:54321', `127.0.0.1:${port}`)
    .replaceAll('localhost:54321', `localhost:${port}`)
  if (!seed) config = config.replace(/(\[db\.seed\][^[]*?)enabled = true/, '$1enabled = false')
  writeFileSync(file, change ? change(config) : config)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(project, name, '..'), { recursive: true })
    writeFileSync(join(project, name), text)
  }
  const prepared = fresh || seed ? undefined : from === club ? 'club' : from === null ? 'empty' : undefined
  return { folder, project, data: join(folder, 'data'), port, url: `http://127.0.0.1:${port}`, prepared }
}

/**
 * Starts the program and waits until it is ready, at most `patience` milliseconds.
 * @returns the project, the child process, its keys, and `stop()`, `kill()`, `remove()`.
 */
export async function start(place, { environment = {}, program = binary, flags = [], patience = 60_000 } = {}) {
  await usePrepared(place, environment, program)
  // The output goes to a file, not to a pipe. To read a log line for each request would use processor time of this process, which also measures
  // times.
  const file = join(mkdtempSync(join(place.folder, 'output-')), 'log')
  const log = openSync(file, 'a')
  const child = spawn(program, ['start', '--project', place.project, '--data', place.data, ...flags], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  const output = () => readFileSync(file, 'utf8')
  const ended = new Promise((done) => child.once('exit', (code, signal) => done({ code, signal })))
  const begun = performance.now()
  for (;;) {
    if (child.exitCode !== null) throw new Error(`cloch ended with ${child.exitCode}:\n${output()}`)
    if (await healthy(place.url)) break
    const elapsed = performance.now() - begun
    if (elapsed > patience) {
      child.kill('SIGKILL')
      throw new Error(`cloch is not ready after ${patience / 1000} s:\n${output()}`)
    }
    // The interval grows, because each request takes several milliseconds of processor time in both processes.
    await sleep(Math.max(25, elapsed / 10))
  }
  const keys = JSON.parse(
    execFileSync(program, ['status', '-o', 'json', '--project', place.project, '--data', place.data], {
      env: { ...process.env, ...environment },
    }).toString(),
  )
  serviceKeys.set(place.url, keys.SERVICE_ROLE_KEY)
  const end = async (signal) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    return ended
  }
  return {
    ...place,
    child,
    anonKey: keys.ANON_KEY,
    serviceKey: keys.SERVICE_ROLE_KEY,
    keys,
    readyAfter: performance.now() - begun,
    output,
    ended,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    remove: async () => {
      await end('SIGTERM')
      removePlace(place)
    },
  }
}

/**
 * Removes a project's folder and its database. If an unprivileged account that cannot enter the folder runs the database, the database is in another
 * folder.
 */
export function removePlace(place) {
  const link = join(place.data, 'db')
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()
  if (isLink && readlinkSync(link).startsWith('/var/lib/cloch/')) rmSync(dirname(readlinkSync(link)), { recursive: true, force: true })
  rmSync(place.folder, { recursive: true, force: true })
}

/** Creates a project and starts it. */
export const startProject = async (options = {}) => start(await makeProject(options), options)

/** If a place has no data folder yet, copies a prepared one. */
async function usePrepared(place, environment, program) {
  // The prepared folder contains a cluster of the embedded server. `cluster/pooler.mjs` passes CLOCH_DB_URL to whole suites. A CLOCH_POSTGRES_BIN of
  // a whole suite needs no exception, because prepared.mjs keeps a folder for each value.
  const hasOwnDatabase = { ...process.env, ...environment }.CLOCH_DB_URL !== undefined || environment.CLOCH_POSTGRES_BIN !== undefined
  if (place.prepared === undefined || hasOwnDatabase || existsSync(place.data)) return
  await copyPrepared(place, program, place.prepared, () => firstStart(place.prepared, program))
}

/** Creates a data folder by a first start of the program, and stops the program. */
async function firstStart(name, program) {
  const place = await makeProject(name === 'club' ? { fresh: true } : { from: null, fresh: true })
  const server = await start(place, { program })
  await server.stop()
  return place
}

export const healthy = async (url) => {
  try {
    return (await fetch(`${url}/health`)).ok
  } catch {
    return false
  }
}

export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))
