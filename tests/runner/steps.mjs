/** A step of a run is a command with a name, a duration and an output. The output is shown when the command ends. */
import { spawn } from 'node:child_process'

import { root } from './suites.mjs'

/** @typedef {{ name: string, seconds: number, code: number, output: string }} Step */

/** The steps that have ended, in order. @type {Step[]} */
export const ended = []

/**
 * Runs a command to its end.
 * @param {string} name the name of the step in the table of durations
 * @param {string[]} command
 * @param {{ environment?: Record<string, string>, folder?: string, quiet?: boolean }} options `quiet`: show the whole output only when the command
 * ends, because another step writes its output at the same time
 * @returns {Promise<Step>}
 */
export async function step(name, command, { environment = {}, folder = root, quiet = false } = {}) {
  const begun = performance.now()
  if (!quiet) console.log(`\n▶ ${name}`)
  const child = spawn(command[0], command.slice(1), {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
  })
  const chunks = []
  child.stdout?.on('data', (chunk) => chunks.push(chunk))
  child.stderr?.on('data', (chunk) => chunks.push(chunk))
  const code = await new Promise((done) => {
    child.once('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`))
      done(127)
    })
    child.once('close', (status, signal) => done(status ?? (signal ? 128 : 1)))
  })
  const output = Buffer.concat(chunks).toString()
  const result = { name, code, output, seconds: (performance.now() - begun) / 1000 }
  if (quiet) console.log(`\n▶ ${name}: ${code === 0 ? 'ok' : `failed (${code})`} after ${result.seconds.toFixed(0)} s`)
  if (quiet && output !== '') console.log(output.trimEnd())
  ended.push(result)
  return result
}

/** Records a step whose duration was measured elsewhere. */
export const note = (name, seconds, code) => ended.push({ name, seconds, code, output: '' })

/** Runs a command. It must succeed, because later steps need its result. */
export async function must(...words) {
  const result = await step(...words)
  if (result.code !== 0) throw new Error(`${result.name} failed`)
  return result
}
