/** The results of a test run, and the rule for tests that fail once. */
import { stripVTControlCharacters } from 'node:util'

/** Maximum number of flaky tests. If there are more, the run fails. */
const MAX_FLAKY = 5

/** @typedef {{ suite: string, name: string, reason?: string }} Test `reason`: the first line of the error */

export class Results {
  passed = 0
  skipped = 0
  /** Tests that failed twice. @type {Test[]} */
  failed = []
  /** Tests that failed in the first run, and passed when they ran again alone. @type {Test[]} */
  flaky = []
  /** Things that were not tested because a tool is missing. @type {string[]} */
  missing = []

  /**
   * Adds the results of a suite whose failed tests have run again alone.
   * @param {{ passed: number, skipped?: number, failed: Test[] }} first
   * @param {Set<string>} failedAgain keys (see `key`) of the tests that failed the second time too
   */
  add(first, failedAgain) {
    this.passed += first.passed
    this.skipped += first.skipped ?? 0
    for (const test of first.failed) (failedAgain.has(key(test)) ? this.failed : this.flaky).push(test)
  }

  get isGreen() {
    return this.failed.length === 0 && this.flaky.length <= MAX_FLAKY
  }

  /** Prints the last lines of a run. */
  print() {
    for (const what of this.missing) console.log(`not checked: ${what}`)
    for (const test of this.flaky) console.log(`flaky (failed, then passed alone): ${described(test)}`)
    if (this.flaky.length > MAX_FLAKY) console.log(`${this.flaky.length} tests are flaky, more than ${MAX_FLAKY}: the run fails`)
    for (const test of this.failed) console.log(`failed twice: ${described(test)}`)
    console.log(`${this.passed + this.flaky.length} passed, ${this.failed.length} failed, ${this.skipped} skipped`)
  }
}

const described = ({ suite, name, reason }) => [suite, name, reason].filter(Boolean).join(': ')

/** Returns the first line of an error's message, without colours and with at most 200 characters. */
export const firstLine = (message) => stripVTControlCharacters(message).trim().split('\n')[0].slice(0, 200)

/** Identifies a test. */
export const key = ({ suite, name }) => `${suite}\n${name}`

/** Maximum number of failed tests that run again. If more tests fail, this is not due to chance. */
export const MAX_RERUN = 20
