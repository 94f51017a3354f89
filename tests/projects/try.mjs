/** Starts one public project and reports what happened. */
import { spawn } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { binary, freePort, removePlace } from '../support/program.mjs'
import { folderOf } from './list.mjs'

const START_TIMEOUT = 240_000

/** @returns {Promise<{ started: boolean, seconds: number, message?: string, warnings: string[] }>} */
export async function tryProject({ repository, folder: inside }) {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-project-'))
  // Under root the database's account has to reach its folder.
  chmodSync(folder, 0o755)
  const place = { folder, data: join(folder, 'data') }
  const port = await freePort()
  const log = join(folder, 'log')
  const file = openSync(log, 'a')
  const begun = performance.now()
  // As a user starts it: no variable that allows more than the defaults.
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
  if (child.exitCode === null) child.kill('SIGTERM')
  await exited
  const lines = readFileSync(log, 'utf8').split('\n').filter(Boolean)
  removePlace(place)
  const errors = lines.filter((line) => /\b(ERROR|error)\b/.test(line))
  const message = started ? undefined : (lines.slice(-12).join('\n') || `no start within ${START_TIMEOUT / 1000} s`)
  return { started, seconds, message, warnings: lines.filter((line) => / WARN /.test(line)), errors }
}
