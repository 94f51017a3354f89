import assert from 'node:assert/strict'

import { sleep } from './program.mjs'

/**
 * Repeats a check until its value is true, and returns the value.
 * @template T
 * @param {() => T | Promise<T>} check
 * @param {string | (() => string)} what the condition, for the error; a function if the text is known only at the end
 * @param {number} milliseconds after which the test fails
 */
export async function until(check, what, milliseconds = 60_000) {
  for (const end = performance.now() + milliseconds; performance.now() < end; await sleep(20)) {
    const value = await check()
    if (value) return value
  }
  return assert.fail(`not within ${milliseconds / 1000} s: ${typeof what === 'function' ? what() : what}`)
}
