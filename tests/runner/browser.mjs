/** Runs the browser suites with Playwright, and repeats failed tests one at a time. */
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'

import { MAX_RERUN, firstLine, key } from './results.mjs'
import { step } from './steps.mjs'
import { root } from './suites.mjs'

const tests = join(root, 'tests')
const reportFile = join(tests, 'test-results/browser.json')

/**
 * @param {import('./results.mjs').Results} results
 * @param {{ full: boolean, runs: (suite: string) => boolean }} options `full`: run the tests at every width and scheme; `runs`: returns whether a
 * suite, given by its path below `tests/`, runs
 * @returns {Promise<() => Promise<void>>} a function that runs the failed tests again. Call it when no other tests run
 */
export async function browserTests(results, { full, runs }) {
  const environment = { PLAYWRIGHT_JSON_OUTPUT_FILE: reportFile }
  // support/lane.ts sets this tag.
  const lane = full ? [] : ['--grep-invert', '@full']
  const suites = readdirSync(join(tests, 'browser'), { recursive: true }).filter((name) => name.endsWith('.spec.ts')).map((name) => `browser/${name}`)
  const chosen = suites.filter((suite) => full || runs(suite))
  if (chosen.length === 0) return async () => undefined
  // Playwright's arguments are regular expressions.
  if (chosen.length < suites.length) lane.push(...chosen.map((suite) => `${suite.replaceAll('.', '\\.')}$`))
  const playwright = async (name, ...options) => {
    rmSync(reportFile, { force: true })
    const run = await step(name, ['npx', 'playwright', 'test', '--reporter=list,json', ...options], { environment, folder: tests })
    const outcome = report()
    if (run.code !== 0 && outcome.failed.length === 0) throw new Error(`${name}: Playwright failed`)
    return outcome
  }
  // Recording a trace takes a third of the processor time, so only the second run of a failed test records one.
  const first = await playwright('browser suites', ...lane, '--trace=off')
  const slowest = [...first.seconds].sort(([, a], [, b]) => b - a)
  console.log(`browser suites, seconds: ${slowest.map(([suite, seconds]) => `${suite} ${seconds.toFixed(1)}`).join(', ')}`)
  if (first.failed.length === 0 || first.failed.length > MAX_RERUN) {
    results.add(first, new Set(first.failed.map(key)))
    return async () => undefined
  }
  return async () => {
    const again = await playwright('browser suites, again', ...lane, '--last-failed', '--workers=1', '--trace=retain-on-failure')
    results.add(first, new Set(again.failed.map(key)))
  }
}

/** Reads Playwright's JSON report of the last run. */
function report() {
  const outcome = { passed: 0, skipped: 0, failed: [], seconds: new Map() }
  const content = JSON.parse(readFileSync(reportFile, 'utf8'))
  for (const error of content.errors) outcome.failed.push({ suite: 'browser', name: firstLine(error.message) })
  const visit = (group, titles) => {
    for (const inner of group.suites ?? []) visit(inner, inner.title === inner.file ? titles : [...titles, inner.title])
    for (const { file, title, tests: runs } of group.specs ?? []) {
      const suite = relative(tests, join(content.config.rootDir, file))
      for (const { status, results: tries } of runs) {
        const seconds = tries.reduce((sum, { duration }) => sum + duration / 1000, 0)
        outcome.seconds.set(suite, (outcome.seconds.get(suite) ?? 0) + seconds)
        if (status === 'skipped') outcome.skipped += 1
        else if (status === 'unexpected') outcome.failed.push({ suite, name: [...titles, title].join(' › '), reason: firstLine(tries.at(-1)?.error?.message ?? '') })
        else outcome.passed += 1
      }
    }
  }
  for (const group of content.suites) visit(group, [])
  return outcome
}
