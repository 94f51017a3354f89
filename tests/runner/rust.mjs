/** Runs the Rust tests with cargo nextest. Repeats failed tests one at a time. */
import { readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

import { MAX_RERUN, firstLine, key } from './results.mjs'
import { step } from './steps.mjs'
import { root } from './suites.mjs'

/** nextest writes its report into this folder of the workspace, even if cargo's target folder is elsewhere. */
const reportFile = join(root, 'target/nextest/ci/junit.xml')
const nextest = ['scripts/with-postgres', 'cargo', 'nextest', 'run', '--workspace', '--all-features', '--profile', 'ci']

/**
 * @param {import('./results.mjs').Results} results
 * @param {{ name?: string, filter?: string[], environment?: Record<string, string> }} options
 */
export async function rustTests(results, { name = 'Rust tests', filter = [], environment = {} } = {}) {
  rmSync(reportFile, { force: true })
  // There are twice as many threads as processors, because the tests mostly wait for PostgreSQL and for time limits.
  const threads = ['--test-threads', `${availableParallelism() * 2}`]
  const run = await step(name, [...nextest, '--no-fail-fast', ...threads, ...filter], { environment })
  const first = report(name)
  // The run has failed before any test ran, or for a reason that is not a failed test.
  if (run.code !== 0 && first.failed.length === 0) throw new Error(`${name}: cargo nextest failed`)
  if (first.failed.length === 0 || first.failed.length > MAX_RERUN) {
    results.add(first, new Set(first.failed.map(key)))
    return
  }
  const only = first.failed.map(({ binary, test }) => `(binary_id(=${binary}) & test(=${test}))`).join(' | ')
  await step(`${name}, again`, [...nextest, '--no-fail-fast', '--test-threads', '1', '-E', only], { environment })
  results.add(first, new Set(report(name).failed.map(key)))
}

/** Reads the JUnit file of the last run. */
function report(suite) {
  const text = readFileSync(reportFile, 'utf8')
  const failed = []
  let passed = 0
  for (const [, head, body = ''] of text.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)) {
    const attribute = (name) => unescape(new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1] ?? '')
    const [test, binary] = [attribute('name'), attribute('classname')]
    const failure = /<(?:failure|error)\b(?:[^>]*?\bmessage="([^"]*)")?/.exec(body)
    if (failure) failed.push({ suite, name: `${binary} ${test}`, binary, test, reason: firstLine(unescape(failure[1] ?? '')) })
    else passed += 1
  }
  return { passed, failed }
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescape = (text) => text.replace(/&(amp|lt|gt|quot|apos);/g, (_, name) => entities[name])
