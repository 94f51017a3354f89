/**
 * Runs the tests of Rust crates, unmodified, against the program: `node tests/own-suites/crates.mjs [CRATE ...]`. The sources are the packages of
 * crates.io, or the crate's repository if its package contains no tests. Port 3000 must be free, because the tests of `postgrest` use it. Each test
 * runs alone: the requests that arrive meanwhile show whether it reaches the server. A run of all crates compares the results with the table `crates`
 * in docs/clients.md; with CLOCH_WRITE_DOCS=1, it writes the table. If the crates cannot be downloaded or compiled, the exit status is 77.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { checkTable } from '../clients/document.mjs'
import { crates } from './crate_servers.mjs'
import { compiled, sourceOf } from './prepare_crates.mjs'
import { NotAvailable } from './prepare.mjs'

const MAX_TEST_MILLISECONDS = 5 * 60_000
/** Exit status of a suite that cannot run on this machine. automake uses the same status. */
const SKIPPED = 77

const execute = promisify(execFile)

/** Returns the names of the tests in an executable of Rust's test harness, and which of them the crate itself ignores. */
async function testsOf(executable) {
  const list = async (...words) => {
    const { stdout } = await execute(executable, ['--list', '--format', 'terse', ...words])
    return stdout.split('\n').filter((line) => line.endsWith(': test')).map((line) => line.slice(0, -': test'.length))
  }
  const ignored = new Set(await list('--ignored'))
  return (await list()).map((name) => ({ executable, name, ignored: ignored.has(name) }))
}

/** Runs one test. Returns the end of its output if it has failed. */
async function run({ executable, name }, folder, environment) {
  try {
    const { stdout } = await execute(executable, ['--exact', name, '--include-ignored', '--test-threads=1'], { cwd: folder, env: { ...process.env, ...environment, RUST_BACKTRACE: '0' }, timeout: MAX_TEST_MILLISECONDS })
    return stdout.includes('1 passed') ? undefined : `the test did not run: ${stdout}`
  } catch (error) {
    return `${error.stdout ?? ''}${error.stderr ?? ''}`.trim() || error.message
  }
}

/** Returns the failure without the text that Rust's test harness prints before and after it. */
const shortened = (output) => (/panicked at [^\n]*\n([\s\S]*?)\nnote: /.exec(output)?.[1] ?? output).replaceAll(/\s+/g, ' ').slice(0, 400)

/** Starts the servers of one crate, and runs its tests. */
async function runCrate(crate) {
  const folder = sourceOf(crate)
  const tests = (await Promise.all(compiled(crate, folder).map(testsOf))).flat()
  const ends = []
  let requests = 0
  const results = []
  try {
    const environment = await crate.start({ folder, open: (end) => ends.unshift(end), onRequest: () => (requests += 1) })
    for (const test of tests) {
      if (test.ignored && !crate.runsIgnored) {
        results.push({ name: test.name, ignored: true })
        continue
      }
      requests = 0
      const failure = await run(test, folder, environment)
      results.push({ name: test.name, reached: requests > 0, failure })
    }
  } finally {
    for (const end of ends) await end()
  }
  return results
}

/** Compares the failures with the known exceptions. Returns the row of the table, and the unexpected results. */
function judged({ name, version, exceptions = {} }, results) {
  const wrong = []
  const reasons = []
  for (const { name: test, ignored, failure } of results) {
    const reason = exceptions[test]
    if (ignored) reasons.push(`\`${test}\`: the crate ignores it`)
    else if (failure !== undefined && reason) reasons.push(`\`${test}\`: ${reason}`)
    else if (failure !== undefined) wrong.push(`${name}: ${test}: ${shortened(failure)}`)
    else if (reason) wrong.push(`${name}: ${test} passes: it is no exception any more`)
  }
  const unknown = Object.keys(exceptions).filter((test) => !results.some((one) => one.name === test))
  wrong.push(...unknown.map((test) => `${name}: there is no test ${test}`))
  const reached = results.filter((one) => one.reached)
  const passed = reached.filter(({ failure }) => failure === undefined)
  const row = [`\`${name}\` ${version}`, results.length, reached.length, passed.length, reasons.join('<br>') || 'none']
  return { row, wrong }
}

async function main(wanted) {
  const unknown = wanted.filter((name) => !crates.some((crate) => crate.name === name))
  if (unknown.length > 0) throw new Error(`no such crate: ${unknown.join(', ')}; there are ${crates.map(({ name }) => name).join(', ')}`)
  const rows = []
  const problems = []
  try {
    for (const crate of crates.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      const { row, wrong } = judged(crate, await runCrate(crate))
      rows.push(row)
      problems.push(...wrong)
    }
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error
    console.error(`skipped: ${error.message}`)
    return SKIPPED
  }
  console.table(rows)
  problems.forEach((problem) => console.log(problem))
  if (wanted.length === 0) checkTable('crates', ['crate', 'tests', 'reach the server', 'pass', 'exceptions'], rows)
  return problems.length === 0 ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))
