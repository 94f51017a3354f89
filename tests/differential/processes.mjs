// Ends what the suite has started, whatever state it is in.

import { freePort } from '../support/program.mjs'

const PATIENCE_MS = 20_000

export const ended = (child) => child.exitCode !== null || child.signalCode !== null

/** Asks a child to end, ends it if it does not, and returns when it is gone. */
export async function end(child, signal = 'SIGTERM') {
  if (ended(child)) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  await gone
  clearTimeout(impatience)
}

/** Starts something on a free port; on another if it did not start, since somebody may have been quicker to take the first. */
export async function onFreePort(start) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort())
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}
