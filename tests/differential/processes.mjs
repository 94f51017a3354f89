// Stops all processes that the suite has started, also if the suite fails.

import { freePort } from '../support/program.mjs'

const PATIENCE_MS = 20_000

export const ended = (child) => child.exitCode !== null || child.signalCode !== null

/** Stops a child process with a signal, kills it if it does not stop, and waits until it has ended. */
export async function end(child, signal = 'SIGTERM') {
  if (ended(child)) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  await gone
  clearTimeout(impatience)
}

/** Starts a server on a free port. If the start fails, tries another port, because another process may have taken the first one. */
export async function onFreePort(start) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}
