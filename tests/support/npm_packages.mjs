/**
 * Programs of npm that are installed for one run of the full lane: as dependencies of the tests they would bring hundreds of packages. Some
 * need a newer Node than the tests; then Node itself is installed from npm too.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Node version for programs that need a newer one than the tests. */
const newerNode = '24.21.0'

/** npm keeps downloads in its cache, so after a network error the second attempt only needs the rest. */
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
 * Installs packages into a temporary folder. Their installation scripts do not run.
 * @param {string} name of the folder
 * @param {string[]} packages with their versions
 * @param {{ node?: number, overrides?: Record<string, string> }} options `node`: the major version of Node that the packages need;
 *   `overrides`: versions of dependencies
 * @returns the folder, the path of Node, the environment in which its programs find it, and `remove()`
 */
export function installPackages(name, packages, { node = 20, overrides = {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), `cloch-${name}-`))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', overrides }))
  const isOld = Number(process.versions.node.split('.')[0]) < node
  const ofNode = `node-${process.platform}-${process.arch}`
  const all = isOld ? [...packages, `${ofNode}@${newerNode}`] : packages
  install(folder, all)
  const bin = isOld ? join(folder, 'node_modules', ofNode, 'bin') : join(process.execPath, '..')
  // The flags in NODE_OPTIONS are for the tests' older Node.
  const environment = { ...process.env, PATH: `${bin}:${process.env.PATH}`, NODE_OPTIONS: '', NO_UPDATE_NOTIFIER: '1', DO_NOT_TRACK: '1' }
  return { folder, node: join(bin, 'node'), program: (file) => join(folder, 'node_modules', file), environment, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
