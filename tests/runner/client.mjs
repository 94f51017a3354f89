/** Runs the client suites with Node's test runner, several files at a time. Repeats a file that contains a failed test, one file at a time. */
import { relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

import { MAX_RERUN, firstLine, key } from './results.mjs'
import { note } from './steps.mjs'
import { root } from './suites.mjs'

const FILE_TIMEOUT_MS = 900_000

/**
 * @typedef {{ suite: string, name: string, file: string, isFile: boolean, reason: string }} FailedTest `isFile`: the file itself or one of its hooks
 * has failed. Then the file has only this one failure, because all of its tests failed for the same reason
 */

/**
 * @param {import('./results.mjs').Results} results
 * @param {{ file: string, waits: boolean }[]} suites in the order in which they start; `waits`: whether the suite waits for most of its time
 * @param {{ concurrency: number }} options how many files run at a time. In addition, suites that wait run one after the other
 * @returns {Promise<() => Promise<void>>} a function that runs the failed files again. Call it when no other tests run
 */
export async function clientTests(results, suites, { concurrency }) {
  const files = (waits) => suites.filter((suite) => suite.waits === waits).map(({ file }) => file)
  const first = await runFiles('client suites', files(false), concurrency, files(true))
  const slowest = [...first.seconds].sort(([, a], [, b]) => b - a)
  console.log(`client suites, seconds: ${slowest.map(([suite, seconds]) => `${suite} ${seconds.toFixed(1)}`).join(', ')}`)
  if (first.failed.length === 0 || first.failed.length > MAX_RERUN) {
    results.add(first, new Set(first.failed.map(key)))
    return async () => undefined
  }
  return () => runAgain(results, first)
}

async function runAgain(results, first) {
  const again = await runFiles('client suites, again', [...new Set(first.failed.map(({ file }) => file))], 1)
  // If the second run of a file ends early, the tests that failed in its first run count as failed again.
  const lost = new Set(again.failed.filter(({ isFile }) => isFile).map(({ suite }) => suite))
  const failedAgain = new Set([...again.failed, ...first.failed.filter(({ suite }) => lost.has(suite))].map(key))
  const known = new Set(first.failed.map(key))
  results.add({ ...first, failed: [...first.failed, ...again.failed.filter((test) => !known.has(key(test)))] }, failedAgain)
}

async function runFiles(name, files, concurrency, waiting = []) {
  console.log(`\n▶ ${name}`)
  const begun = performance.now()
  const outcome = { passed: 0, skipped: 0, /** @type {FailedTest[]} */ failed: [], /** @type {Map<string, number>} */ seconds: new Map() }
  const queue = [...files]
  const own = [...waiting]
  const next = () => own.shift() ?? queue.shift()
  const worker = async (take) => {
    for (let file = take(); file !== undefined; file = take()) await runFile(file, outcome)
  }
  await Promise.all([...(own.length > 0 ? [worker(next)] : []), ...Array.from({ length: concurrency }, () => worker(() => queue.shift()))])
  note(name, (performance.now() - begun) / 1000, outcome.failed.length === 0 ? 0 : 1)
  return outcome
}

/** Runs one file. Its whole output is shown when it has ended. */
async function runFile(file, outcome) {
  const suite = relative(`${root}/tests`, file)
  const begun = performance.now()
  const stream = run({ files: [file], concurrency: 1, timeout: FILE_TIMEOUT_MS })
  stream.on('test:pass', ({ details, skip }) => {
    if (details.type === 'suite') return
    if (skip === undefined) outcome.passed += 1
    else outcome.skipped += 1
  })
  const failed = []
  stream.on('test:fail', ({ name, details }) => {
    const kind = details.error?.failureType
    // This event repeats the failure of a nested test, which has its own event.
    if (kind === 'subtestsFailed') return
    const isFile = name === file || kind === 'hookFailed'
    failed.push({ suite, name: isFile ? 'the file' : name, file, isFile, reason: firstLine(details.error?.cause?.message ?? details.error?.message ?? '') })
  })
  const report = []
  for await (const chunk of stream.compose(new spec())) report.push(chunk)
  const whole = failed.find(({ isFile }) => isFile)
  outcome.failed.push(...(whole === undefined ? failed : [whole]))
  const seconds = (performance.now() - begun) / 1000
  outcome.seconds.set(suite, seconds)
  console.log(`\n── ${suite} (${seconds.toFixed(1)} s)\n${report.join('').trimEnd()}`)
}
