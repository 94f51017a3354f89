/** Starts one public project and reports the result. */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { binary, freePort, removePlace } from '../support/program.mjs'
import { compareCatalogs } from './catalog.mjs'
import { folderOf } from './list.mjs'
import { compareTypes } from './types.mjs'

const START_TIMEOUT = 240_000

/**
 * Starts a project. With `boots`, also resolves the imports of the project's functions and calls each function once. If a function lacks its imports
 * or does not listen, it is listed with the reason. With `restores`, also compares the catalog of the database with that of its restored dump, and of a
 * reset project. With `cli`, the program of the Supabase CLI, also compares the generated types.
 * @param {{ repository: string, folder: string, types?: string }} project
 * @param {{ boots?: boolean, restores?: boolean, cli?: string }} options
 * @returns {Promise<{ started: boolean, seconds: number, message?: string, warnings: string[], functions?: { booted: number, failed: string[] },
 *   types?: { error: string } | { error?: undefined, entries: number, differences: string[], committed?: { entries: number, equal: number } },
 *   catalogs?: { error: string } | { error?: undefined, objects: number, restored: string[], reset: string[] } }>}
 */
export async function tryProject({ repository, folder: inside, types: committed }, { boots = false, restores = false, cli } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-project-'))
  // If root runs the test, the account of the database must be able to enter its folder.
  chmodSync(folder, 0o755)
  const place = { folder, data: join(folder, 'data') }
  const port = await freePort()
  const log = join(folder, 'log')
  const file = openSync(log, 'a')
  const begun = performance.now()
  // Starts the project as a user would: without the variables that allow more than the defaults.
  const { CLOCH_ALLOW_PATHS: _paths, CLOCH_PROJECT_ENV: _names, ...environment } = process.env
  const child = spawn(binary, ['start', '--project', join(folderOf(repository), inside), '--data', place.data, '--port', `${port}`], {
    env: environment,
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  const exited = new Promise((done) => child.once('exit', done))
  let started = false
  while (child.exitCode === null && child.signalCode === null && performance.now() - begun < START_TIMEOUT) {
    started = await fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => ok, () => false)
    if (started) break
    await new Promise((done) => setTimeout(done, 100))
  }
  const seconds = Math.round((performance.now() - begun) / 100) / 10
  const project = join(folderOf(repository), inside)
  const functions = started && boots && existsSync(join(project, 'functions')) ? await bootFunctions(project, { data: place.data, port, log, environment }) : undefined
  const failed = (error) => ({ error: `${error.stderr || error.message}` })
  const written = committed && join(folderOf(repository), committed)
  const types = started && cli ? await compareTypes({ project, data: place.data, cli, committed: written, environment }).catch(failed) : undefined
  const stop = async () => {
    if (child.exitCode === null) child.kill('SIGTERM')
    await exited
  }
  const compare = () => compareCatalogs({ project, data: place.data, folder, stop, environment }).catch(failed)
  const catalogs = started && restores ? await compare() : undefined
  await stop()
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  const restored = join(folder, 'restored')
  removePlace({ folder: restored, data: restored })
  removePlace(place)
  const errors = lines.filter((line) => /\b(ERROR|error)\b/.test(line))
  const reason = lines.slice(-12)
  // The last message is the error of the start. Warnings before it may have several lines.
  const at = reason.findLastIndex((line) => line.startsWith('cloch: '))
  const message = started ? undefined : (reason.slice(Math.max(at, 0)).join('\n') || `no start within ${START_TIMEOUT / 1000} s`)
  return { started, seconds, message, warnings: lines.filter((line) => / WARN /.test(line)), errors, functions, types, catalogs }
}

/** Resolves the imports of a running project's functions, and calls each function once. */
async function bootFunctions(project, { data, port, log, environment: env }) {
  const command = promisify(execFile)(binary, ['functions', 'cache', '--project', project, '--data', data], { env, maxBuffer: 64 << 20 })
  const { stdout } = await command.catch((error) => error)
  // A folder `functions` may contain only modules that are not functions.
  if (stdout.startsWith('there are no functions')) return { booted: 0, failed: [] }
  const [failed, called] = [[], []]
  for (const line of stdout.split(/\n(?=[a-zA-Z][\w-]*: )/).filter(Boolean)) {
    const [name, outcome] = [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2).trim()]
    if (outcome !== 'ready') {
      failed.push(line)
      continue
    }
    // A preflight request needs no token, and it is answered with 200 even if the function does not start, so that a browser shows the error
    // of the request after it. Only the log contains the failed start, a moment after the response.
    await (await fetch(`http://127.0.0.1:${port}/functions/v1/${name}`, { method: 'OPTIONS' })).text()
    called.push(name)
  }
  await new Promise((done) => setTimeout(done, 1_000))
  const failures = readFileSync(log, 'utf8').split('\n').filter((line) => line.includes('it did not start to listen'))
  for (const name of called) {
    const failure = failures.find((line) => line.includes(` function=${name} `))
    if (failure !== undefined) failed.push(`${name}: ${failure.slice(failure.indexOf('functions: '))}`)
  }
  const booted = called.filter((name) => !failed.some((line) => line.startsWith(`${name}: `))).length
  return { booted, failed }
}
