/**
 * Runs the tests of a lane: `node tests/runner/run.mjs [full]`. `scripts/test` calls this file. Without an argument, it runs the lane of every
 * change: the suites for the changed parts (parts.mjs), and the suites of the full lane that cover the changed paths.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

import { browserTests } from './browser.mjs'
import { changedPaths, recordGreen } from './changed_paths.mjs'
import { clientTests } from './client.mjs'
import { concern } from './parts.mjs'
import { Results } from './results.mjs'
import { rustTests } from './rust.mjs'
import { ended, must, note, step } from './steps.mjs'
import { clientSuites, commandSuites, otherPostgresVersions, root, runsInFull } from './suites.mjs'

/** Exit status of a suite that cannot run on this machine. */
const SKIPPED = 77

const full = process.argv[2] === 'full'
if (process.argv.length > (full ? 3 : 2)) throw new Error('usage: node tests/runner/run.mjs [full]')

const { base, paths: changed } = full ? { base: undefined, paths: undefined } : changedPaths()
const concerned = concern(changed)
const results = new Results()
const begun = performance.now()

/** The lints and the tests of the web apps run while cargo links. They need little processor time, and nothing that cargo builds. */
async function build() {
  await must('formatting and imports', ['scripts/check', 'quick'])
  await must('web apps', ['scripts/build-web'])
  const compile = step('compile and lint (Rust)', ['scripts/compile'])
  await checkWeb()
  if ((await compile).code !== 0) throw new Error('compile and lint (Rust) failed')
}

async function checkWeb() {
  const quiet = { quiet: true }
  const environment = full ? { CLOCH_LINT_AGAIN: '1' } : {}
  const checks = [
    await step('lint and types (web, tests)', ['scripts/check', 'web'], { ...quiet, environment }),
    await step('dependencies', ['scripts/check', 'dependencies'], quiet),
    await step('web tests', ['npm', 'run', '--silent', 'test'], { ...quiet, folder: `${root}/web` }),
  ]
  for (const { name, code, output } of checks) {
    if (code !== 0) results.add({ passed: 0, failed: [{ suite: 'check', name }] }, new Set([`check\n${name}`]))
    results.missing.push(...[...output.matchAll(/^not checked: (.*)$/gm)].map(([, what]) => what))
  }
}

/** Returns the tools that scripts/setup could not install, one per line. */
function notInstalled() {
  const folder = process.env.CLOCH_TEST_TOOLS
  const files = readdirSync(folder).filter((name) => name.startsWith('missing-'))
  return files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n')).filter(Boolean)
}

/** Runs the Rust tests on the other major versions of PostgreSQL. */
async function otherVersions() {
  for (const major of otherPostgresVersions) {
    const { code, output } = await step(`PostgreSQL ${major}`, ['scripts/other-postgres', `${major}`, `${process.env.CLOCH_TEST_SERVERS}/postgres-server-${major}`], { quiet: true })
    if (code === 0) await rustTests(results, { name: `Rust tests, PostgreSQL ${major}`, environment: { CLOCH_POSTGRES_BIN: output.trim().split('\n').at(-1) } })
    else results.missing.push(`Rust tests with PostgreSQL ${major} (no package for this machine)`)
  }
}

/** Runs the tests of the changed crates and of the crates that use them. */
async function concernedRustTests() {
  if (concerned.everything) return rustTests(results)
  if (concerned.crates.length === 0) return undefined
  return rustTests(results, { filter: ['-E', concerned.crates.map((crate) => `rdeps(=${crate})`).join(' | ')] })
}

/**
 * The client suites and the browser suites run one after the other. Both need the whole processor, and Chromium would slow down tests with time
 * limits.
 */
async function blackBoxTests() {
  const runs = (suite) => (suite.covers ? runsInFull(suite, { full, changed }) : concerned.runs(suite.path))
  const suites = clientSuites().filter(runs)
  // There is one more process than there are processors, because these suites wait for a fifth of their time (for responses and for PostgreSQL).
  const clientTestsAgain = await clientTests(results, suites, { concurrency: availableParallelism() + 1 })
  const browserTestsAgain = await browserTests(results, { full, runs: concerned.runs })
  await clientTestsAgain()
  await browserTestsAgain()
}

async function fullSuites() {
  for (const suite of commandSuites.filter((one) => runsInFull(one, { full, changed }))) {
    const { code } = await step(suite.name, suite.command, { environment: suite.environment })
    if (code === SKIPPED) {
      results.missing.push(`${suite.name} (the reason is in the output of the step)`)
      continue
    }
    results.add({ passed: code === 0 ? 1 : 0, failed: code === 0 ? [] : [{ suite: suite.name, name: 'the whole' }] }, new Set([`${suite.name}\nthe whole`]))
  }
}

function printDurations() {
  console.log(`\n${full ? 'full lane' : `every change (${base === undefined ? 'all suites, because no commit that passed is known' : `since ${base}${concerned.everything ? ', all suites' : ''}`})`}`)
  const outcome = (code) => (code === 0 ? '' : code === SKIPPED ? '  NOT RUN' : '  FAILED')
  for (const { name, seconds, code } of ended) console.log(`${seconds.toFixed(0).padStart(6)} s  ${name}${outcome(code)}`)
}

try {
  results.missing.push(...notInstalled())
  await build()
  await concernedRustTests()
  await blackBoxTests()
  await fullSuites()
  if (full) await otherVersions()
} catch (error) {
  console.error(error)
  results.add({ passed: 0, failed: [{ suite: 'run', name: error.message }] }, new Set([`run\n${error.message}`]))
}
note('altogether', (performance.now() - begun) / 1000, results.isGreen ? 0 : 1)
printDurations()
results.print()
if (results.isGreen) recordGreen()
process.exitCode = results.isGreen ? 0 : 1
