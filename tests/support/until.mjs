import assert from 'node:assert/strict'

import { sleep } from './program.mjs'

/**
 * Repeats a check until its value is true. Returns this value.
 * @template T
 * @param {() => T | Promise<T>} check
 * @param {string | (() => string)} what text about the condition, for the error. It is a function if the text is known only at the end
 * @param {number} milliseconds time after which the test fails
 */
export async function until(check, what, milliseconds = 60_000) {
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(20)) {
    const value = await check()
    if (value) return value
  }
  return assert.fail(`not within ${milliseconds / 1000} s: ${typeof what === 'function' ? what() : what}`)
}
