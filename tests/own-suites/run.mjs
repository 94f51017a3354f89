/**
 * Runs the tests in supabase-py's repository, unmodified, against the program: `node tests/own-suites/run.mjs [SUITE ...]`. prepare.mjs downloads the
 * tests. Ports 3000 and 9996 to 9999 must be free, because the tests use them. A run of all suites compares the results with the table `own-suites`
 * in docs/clients.md; with CLOCH_WRITE_DOCS=1, it writes the table. If the tests cannot be downloaded, the exit status is 77.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { checkTable } from '../clients/document.mjs'
import { NotAvailable, python, sources } from './prepare.mjs'
import { suites } from './servers.mjs'

/** A unit test that waits for a call that the newer library does not make never ends. */
const MAX_TEST_SECONDS = 120
const MAX_SUITE_MILLISECONDS = 20 * 60_000
/** Exit status of a suite that cannot run on this machine. automake uses the same status. */
const SKIPPED = 77

const unescape = (text) => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#10;', '\n').replaceAll('&amp;', '&')

/** Returns the test cases of a JUnit report of pytest. */
function casesOf(report) {
  return [...report.matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(([, attributes, content = '']) => {
    const of = (name) => unescape(new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? '')
    const [, failed] = /<(?:failure|error) message="([^"]*)"/.exec(content) ?? []
    return { name: `${of('classname')}.${of('name')}`, reached: content.includes('name="reached"'), skipped: content.includes('<skipped'), failed: failed && unescape(failed) }
  })
}

/** Starts the servers of one suite and runs the suite. */
async function run({ name, start }, folder, interpreter) {
  const ends = []
  const output = mkdtempSync(join(tmpdir(), 'cloch-own-suite-'))
  try {
    const environment = await start(folder, (end) => ends.unshift(end))
    const report = join(output, 'report.xml')
    // A file whose imports the newer library does not have tests nothing, but the other files are run.
    // For other formats of tracebacks, pytest reads the sources with Python's parser. In Python 3.11, the parser fails for deeply nested sources.
    const words = ['-m', 'pytest', 'tests', '--quiet', '--continue-on-collection-errors', `--timeout=${MAX_TEST_SECONDS}`, '--tb=native', `--junitxml=${report}`, '-o', 'junit_family=xunit1', '-p', 'reached', '-p', 'no:cacheprovider']
    const paths = { PYTHONPATH: import.meta.dirname, PYTHONDONTWRITEBYTECODE: '1' }
    // This process forwards the requests of the suite. Therefore it must not block in a synchronous call.
    const child = spawn(interpreter, words, { cwd: join(folder, 'src', name), env: { ...process.env, ...environment, ...paths }, stdio: ['ignore', 'inherit', 'inherit'], timeout: MAX_SUITE_MILLISECONDS })
    const [status] = await once(child, 'exit')
    if (!existsSync(report)) throw new Error(`${name}: pytest ended with status ${status} and without a report`)
    return casesOf(readFileSync(report, 'utf8'))
  } finally {
    for (const end of ends) await end()
    rmSync(output, { recursive: true, force: true })
  }
}

/** Compares the failures of a suite with the exceptions that are known. Returns the row of the table, and what is wrong. */
function judged({ name, exceptions = {} }, cases, version) {
  const wrong = []
  const known = new Set()
  for (const { name: test, failed } of cases.filter((one) => one.failed !== undefined)) {
    const exception = test.split('.').at(-1)
    if (exceptions[exception]) known.add(exception)
    else wrong.push(`${name}: ${test}: ${failed.split('\n')[0]}`)
  }
  const other = Object.keys(exceptions).filter((exception) => !known.has(exception))
  wrong.push(...other.map((exception) => `${name}: ${exception} does not fail: it is no exception`))
  const reached = cases.filter((one) => one.reached)
  const passed = reached.filter((one) => one.failed === undefined && !one.skipped)
  const reasons = [...known].map((exception) => `\`${exception}\`: ${exceptions[exception]}`)
  return { row: [`supabase ${version}, \`src/${name}/tests\``, cases.length, reached.length, passed.length, reasons.join('<br>') || 'none'], wrong }
}

/** Runs the suites. Returns the rows of the table, and what is wrong. */
async function runAll(wanted, folder, interpreter) {
  const version = execFileSync(interpreter, ['-c', 'import supabase; print(supabase.__version__)'], { encoding: 'utf8' }).trim()
  const [rows, problems] = [[], []]
  for (const suite of suites.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const { row, wrong } = judged(suite, await run(suite, folder, interpreter), version)
    rows.push(row)
    problems.push(...wrong)
  }
  return { rows, problems }
}

async function main(wanted) {
  const unknown = wanted.filter((name) => !suites.some((suite) => suite.name === name))
  if (unknown.length > 0) throw new Error(`no such suite: ${unknown.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}`)
  let [folder, interpreter] = ['', '']
  try {
    ;[folder, interpreter] = [sources(), python()]
  } catch (error) {
    if (!(error instanceof NotAvailable)) throw error
    console.error(`skipped: ${error.message}`)
    return SKIPPED
  }
  const { rows, problems } = await runAll(wanted, folder, interpreter)
  console.table(rows)
  problems.forEach((problem) => console.log(problem))
  if (wanted.length === 0) checkTable('own-suites', ['suite', 'tests', 'reach the server', 'pass', 'exceptions'], rows)
  return problems.length === 0 ? 0 : 1
}

process.exit(await main(process.argv.slice(2)))
