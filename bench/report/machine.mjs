// The machine, and the versions of the programs that the benchmarks measure.

import { spawnSync } from 'node:child_process'
import { cpus, release, totalmem } from 'node:os'

import { binary } from '../../tests/support/program.mjs'

/** Returns the first line that a command prints, or undefined if the command is not installed. */
const says = (...command) => {
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), { encoding: 'utf8' })
  return status === 0 ? `${stdout}${stderr}`.trim().split('\n')[0] : undefined
}

/** @returns {Record<string, string>} name and value, in the order of the page */
export function machine() {
  const cores = cpus()
  return {
    Processor: `${cores.length} cores, ${cores[0]?.model.trim() ?? 'unknown'}`,
    Memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    Kernel: `Linux ${release()}`,
    Cloch: `${says(binary, '--version') ?? 'unknown'}, commit ${says('git', 'rev-parse', '--short', 'HEAD') ?? 'unknown'}, release build`,
    PostgreSQL: says('postgres', '--version') ?? says('psql', '--version') ?? 'unknown',
    PostgREST: '12.0.2, pool of 12 connections',
    nginx: says('nginx', '-v') ?? 'not installed',
    'Node.js (load of auth, realtime)': process.version,
  }
}
