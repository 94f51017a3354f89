// Stores the results of a benchmark for the report (report.mjs). With CLOCH_BENCH_RECORD, each result is a line of JSON in that file.

import { appendFileSync } from 'node:fs'

/**
 * @typedef {object} Result
 * @property {string} group heading of the report, for example `Table REST`
 * @property {string} name what was measured, for example `list of 100`
 * @property {string} unit of `value`, for example `requests/s`
 * @property {boolean} [less] whether a smaller value is better
 * @property {number} value Cloch's median of all turns
 * @property {number} [connections] concurrent connections of the load
 * @property {{ p50: number, p99: number }} [ms] Cloch's latency in milliseconds
 * @property {{ name: string, value: number, ms?: { p50: number, p99: number } }} [peer] the same values of another program, measured alternately
 * @property {number} [size] position on the horizontal axis of a growth chart
 * @property {string} [note]
 */

/** @param {Result} result */
export function record(result) {
  if (process.env.CLOCH_BENCH_RECORD) appendFileSync(process.env.CLOCH_BENCH_RECORD, `${JSON.stringify(result)}\n`)
}
