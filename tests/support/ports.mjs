/** Chooses the ports for servers of tests. Several test files run at the same time. */
import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The ports are below the range for outgoing connections (32768 to 60999 on Linux). Otherwise, a client that repeatedly reconnects to a stopped
 * server could get the server's port for its own end of the connection, and the server could not start again.
 */
const first = 20_000
const end = 32_000

/** A folder that contains a file for each port that a test process of this user has reserved. The file contains the id of the process. */
const folder = join(tmpdir(), `cloch-test-ports-${process.getuid?.() ?? 0}`)
mkdirSync(folder, { recursive: true })
const own = new Set()
process.on('exit', () => own.forEach((file) => rmSync(file, { force: true })))

/** Returns whether the process that has reserved a port is still running, or has released the port only a moment ago. */
const isTaken = (file) => {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0)
    return true
  } catch (error) {
    return error.code !== 'ESRCH'
  }
}

/** Reserves a port until this process ends, so that the port is still free when a server starts later or starts again. */
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

/** Returns a port on which no program listens. No other test gets this port while this process runs. */
export async function freePort() {
  for (;;) {
    const port = randomInt(first, end)
    if (take(port) && !(await listens(port))) return port
  }
}
