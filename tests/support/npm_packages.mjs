/**
 * Programs from npm that are installed for one run of the full lane. As dependencies of the tests, they would add hundreds of packages. Some of them
 * need a newer Node than the tests. For these, Node itself is installed from npm too.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The version of Node for programs that need a newer one than the tests. */
const newerNode = '24.21.0'

/** Installs packages. After a network error, the second attempt downloads only what is missing, because npm keeps downloads in its cache. */
function install(folder, packages) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=5', '--loglevel=error']
  const run = () => execFileSync('npm', ['install', ...options, ...packages], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], timeout: 400_000 })
  try {
    run()
  } catch (error) {
    console.log(`npm install failed, second try: ${error.message}`)
    run()
  }
}

/**
 * Installs packages into a temporary folder. Does not run the installation scripts of the packages.
 * @param {string} name name of the folder
 * @param {string[]} packages the packages with their versions
 * @param {{ node?: number, overrides?: Record<string, string> }} options `node`: the major version of Node that the packages need; `overrides`:
 * versions of dependencies
 * @returns the folder, the path of Node, the environment in which the packages' programs find Node, and `remove()`
 */
export function installPackages(name, packages, { node = 20, overrides = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), `cloch-${name}-`))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', overrides }))
  const isOld = Number(process.versions.node.split('.')[0]) < node
  const ofNode = `node-${process.platform}-${process.arch}`
  const all = isOld ? [...packages, `${ofNode}@${newerNode}`] : packages
  install(folder, all)
  const bin = isOld ? join(folder, 'node_modules', ofNode, 'bin') : join(process.execPath, '..')
  // The tests' NODE_OPTIONS contain options for their older Node, so the programs do not get them.
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}`, NODE_OPTIONS: '', NO_UPDATE_NOTIFIER: '1', DO_NOT_TRACK: '1' }
  return { folder, node: join(bin, 'node'), program: (file) => join(folder, 'node_modules', file), environment, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
