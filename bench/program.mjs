// Starts the whole program on a database that a benchmark has created.

import { start, makeProject } from '../tests/support/program.mjs'
import { SECRET, send } from '../tests/differential/servers.mjs'

/**
 * Starts the program. It connects to the database's Unix socket, as it does with an embedded PostgreSQL. `path` is the prefix of the program's table
 * REST. `settings` is the text of its cloch.toml.
 */
export async function startProgram(database, { log = 'info', program, settings = '' } = {}) {
  const place = await makeProject({ from: null, files: { 'cloch.toml': settings } })
  const url = `postgres://postgres@localhost:${database.port}/harbour?host=${database.folder}`
  const running = await start(place, { environment: { CLOCH_DB_URL: url, CLOCH_JWT_SECRET: SECRET, CLOCH_LOG: log }, program })
  const started = { port: place.port, path: '/rest/v1', pid: running.child.pid, output: running.output, stop: running.remove }
  while ((await send(started.port, { path: '/rest/v1/schools?limit=1' })).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
  return started
}
