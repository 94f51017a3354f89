/**
 * Downloads the sources of crates, and compiles their tests. The sources are in ~/.cache/cloch/own-suites; they are not part of this repository.
 * CLOCH_OWN_SUITES_CRATES sets a folder with the sources, one folder NAME-VERSION for each crate.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { NotAvailable, cache, cached } from './prepare.mjs'

/** A compilation that takes longer has failed. */
const MAX_BUILD_MILLISECONDS = 30 * 60_000

/** Compiler flags and wrappers of this repository do not apply to other crates. */
const ownSettings = ['RUSTC_WORKSPACE_WRAPPER', 'RUSTFLAGS', 'CLIPPY_ARGS', 'CARGO_BUILD_TARGET']

/** Returns the folder with the sources of a crate: the package of crates.io, or its repository at one commit. */
export function sourceOf({ name, version, repository, commit }) {
  const given = process.env.CLOCH_OWN_SUITES_CRATES && join(process.env.CLOCH_OWN_SUITES_CRATES, `${name}-${version}`)
  if (given && existsSync(given)) return given
  if (repository)
    return cached(`${name}-${commit}`, (folder, run) => {
      run('git', 'init', '--quiet')
      run('git', 'fetch', '--quiet', '--depth', '1', repository, commit)
      run('git', 'checkout', '--quiet', '--detach', 'FETCH_HEAD')
    })
  return join(cached(`${name}-${version}`, (folder, run) => download({ name, version }, folder, run)), 'source')
}

/** Cargo downloads the dependencies of a package. This package has one: the crate. */
function download({ name, version }, folder, run) {
  mkdirSync(join(folder, 'src'))
  writeFileSync(join(folder, 'src/lib.rs'), '')
  writeFileSync(join(folder, 'Cargo.toml'), `[package]\nname = "download"\nversion = "0.0.0"\n[dependencies]\n${name} = "=${version}"\n[workspace]\n`)
  const { packages } = JSON.parse(run('cargo', 'metadata', '--quiet', '--format-version', '1'))
  const crate = packages.find((one) => one.name === name && one.version === version)
  cpSync(dirname(crate.manifest_path), join(folder, 'source'), { recursive: true })
}

/** Compiles the tests of a crate. Returns the paths of the executables. */
export function compiled({ name, features = [] }, folder) {
  const environment = { ...process.env, CARGO_TARGET_DIR: join(cache, 'crates-target'), CARGO_TERM_COLOR: 'never' }
  for (const key of ownSettings) delete environment[key]
  const words = ['test', '--no-run', '--quiet', '--message-format=json', ...features.flatMap((feature) => ['--features', feature])]
  try {
    const output = execFileSync('cargo', words, { cwd: folder, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28, timeout: MAX_BUILD_MILLISECONDS })
    const messages = output.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
    return messages.filter(({ reason, profile, executable }) => reason === 'compiler-artifact' && profile.test && executable).map(({ executable }) => executable)
  } catch (error) {
    throw new NotAvailable(`the tests of ${name} could not be compiled: ${String(error.stderr || error.message).trim().slice(-2000)}`)
  }
}
