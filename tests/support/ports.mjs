/** Ports for the servers of tests, of which several files run at the same time. */
import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Below those that systems give to connections (32768 to 60999 on Linux): who connects again and again to a server that is down could be
 * given its port, and the server could not come back.
 */
const first = 20_000
const end = 32_000

/** A file for each port that a test process of this user has taken, with the number of that process. */
const folder = join(tmpdir(), `cloch-test-ports-${process.getuid?.() ?? 0}`)
mkdirSync(folder, { recursive: true })
const own = new Set()
process.on('exit', () => own.forEach((file) => rmSync(file, { force: true })))

/** Whether the process that took a port still runs, or has just given it back. */
const isTaken = (file) => {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Takes a port for this process until it ends: a server that was not started yet, or is started again, finds it free. */
const take = (port) => {
  const file = join(folder, String(port))
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
  } catch {
    if (own.has(file) || isTaken(file)) return false
    writeFileSync(file, String(process.pid))
  }
  own.add(file)
  return true
}

const listens = (port) =>
  new Promise((done, failed) => {
    const server = createServer()
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? done(true) : failed(error)))
    server.listen(port, '127.0.0.1', () => server.close(() => done(false)))
  })

/** A port that nobody listens on, and that no other test is given while this process runs. */
export async function freePort() {
  for (;;) {
    const port = randomInt(first, end)
    if (take(port) && !(await listens(port))) return port
  }
}
