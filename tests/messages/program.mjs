/** Runs the program several times in parallel and returns its output. */
import { spawn } from 'node:child_process'

import { binary } from '../support/program.mjs'

const TIMEOUT = 120_000

/** Runs the program until it ends. Returns `{ status, output }`. */
export function run(words, { environment = {}, program = binary } = {}) {
  return new Promise((done, failed) => {
    const child = spawn(program, words, { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'], timeout: TIMEOUT })
    let [output, errors] = ['', '']
    child.stdout.on('data', (bytes) => (output += bytes))
    child.stderr.on('data', (bytes) => (errors += bytes))
    child.once('error', failed)
    child.once('close', (code, signal) => done({ status: code ?? signal, output: `${output}${errors}`.trimEnd(), errors }))
  })
}

/** Calls `work` with each item, two items at a time. Returns the results in the order of the items. */
export async function twoAtATime(items, work) {
  const results = []
  let next = 0
  const worker = async (number) => {
    while (next < items.length) {
      const index = next
      next += 1
      results[index] = await work(items[index], number)
    }
  }
  await Promise.all([worker(0), worker(1)])
  return results
}
