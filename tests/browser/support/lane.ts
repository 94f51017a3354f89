/** Selects the tests that run with every change, and those that run only in the full lane (tests/runner/browser.mjs, docs/testing.md). */

/** If a test exists for several widths and schemes, one of them runs with every change. The others have the tag that is excluded then. */
export const lane = (isEveryChange: boolean) => (isEveryChange ? {} : { tag: '@full' })
