/** What runs with every change, and what in the full lane alone (tests/runner/browser.mjs, docs/testing.md). */

/** Of a test at several widths and schemes one runs with every change. The others bear the tag that the lane of every change leaves out. */
export const lane = (isEveryChange: boolean) => (isEveryChange ? {} : { tag: '@full' })
