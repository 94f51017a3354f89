/** Selects the tests that run with every change, and those that run only in the full lane (tests/runner/browser.mjs, docs/testing.md). */

/**
 * If a test exists for several widths and schemes, one of these tests runs with every change. The others have a tag that excludes them from this run.
 */
export const lane = (isEveryChange: boolean) => (isEveryChange ? {} : { tag: '@full' })
