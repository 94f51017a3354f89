/**
 * Measures the club's pages with Lighthouse on its simulated phone: `node tests/lighthouse/run.mjs [PAGE ...]`. Each page is measured several times, and
 * the median of its performance scores must reach the goal. npm installs Lighthouse for this run.
 */
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { installPackages } from '../support/npm_packages.mjs'
import { startProject } from '../support/program.mjs'

const VERSION = '12.8.2'
const GOAL = 95
const ROUNDS = 5
/** Chromium sometimes records no navigation when the machine is busy. Such a measurement is repeated. This is the maximum number of repetitions
 * for each page. A page that needs more is measured once more after the other pages. */
const MAX_LOST = 5
const pages = ['/', '/events', '/young-musician', '/young-musician?view=form', '/young-artist?view=form', '/contact', '/my-entry', '/judging']

const root = join(import.meta.dirname, '../..')
const chromium = process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find(existsSync)

/**
 * The simulation multiplies the duration of each step of a page, including time in which the processor ran other programs. If the measurement
 * runs as root, Lighthouse and its browser get the highest priority, so that other programs do not interrupt them.
 */
const first = process.getuid?.() === 0 && spawnSync('chrt', ['-r', '1', 'true']).status === 0 ? ['chrt', '-r', '1'] : []

/** Measures a page once. Returns undefined if the browser recorded no navigation. */
async function measure(packages, url) {
  const flags = `--headless=new${process.getuid?.() === 0 ? ' --no-sandbox' : ''}`
  // Lighthouse ends before a pipe has taken the whole report, so the report goes to a file.
  const report = join(packages.folder, 'report.json')
  rmSync(report, { force: true })
  const options = ['--only-categories=performance', '--output=json', `--output-path=${report}`, '--quiet', `--chrome-flags=${flags}`]
  const [program, ...words] = [...first, packages.node, packages.program('lighthouse/cli/index.js'), url, ...options]
  const environment = { ...packages.environment, ...(chromium === undefined ? {} : { CHROME_PATH: chromium }) }
  await promisify(execFile)(program, words, { env: environment, maxBuffer: 64 << 20, timeout: 180_000 }).catch((error) => {
    if (!existsSync(report)) throw error
  })
  const { runtimeError, categories, audits } = JSON.parse(readFileSync(report, 'utf8'))
  if (runtimeError !== undefined) {
    console.log(`${url}: ${runtimeError.code}, measured again`)
    return undefined
  }
  const value = (name) => Math.round(audits[name].numericValue)
  return {
    score: Math.round(categories.performance.score * 100),
    detail: `LCP ${value('largest-contentful-paint')} ms, blocked ${value('total-blocking-time')} ms, shift ${audits['cumulative-layout-shift'].numericValue.toFixed(3)}`,
  }
}

/** Measures a page in several rounds. Returns its result in the round with the median score, or undefined if too many measurements were lost. */
async function median(packages, url) {
  const results = []
  for (let lost = 0; results.length < ROUNDS; ) {
    const result = await measure(packages, url)
    if (result !== undefined) results.push(result)
    else if ((lost += 1) > MAX_LOST) return undefined
  }
  results.sort((one, other) => one.score - other.score)
  return { ...results[Math.floor(ROUNDS / 2)], all: results.map(({ score }) => score).join(' ') }
}

const web = process.env.CLOCH_TEST_WEB
const settings = readFileSync(join(root, 'supabase-config/cloch.toml'), 'utf8')
const packages = installPackages('lighthouse', [`lighthouse@${VERSION}`])
const server = await startProject({ files: { 'cloch.toml': web ? settings.replace('app = "embedded"', `app = ${JSON.stringify(web)}`) : settings } })
const slow = []

/** Measures pages and prints their results. Returns the pages that could not be measured. */
async function measureAll(all) {
  const lost = []
  for (const page of all) {
    const result = await median(packages, server.url + page)
    if (result === undefined) {
      console.log(`lost ${page}: the browser recorded no navigation`)
      lost.push(page)
      continue
    }
    const { score, detail, all: scores } = result
    console.log(`${score >= GOAL ? 'ok' : 'not ok'} ${page}: ${score} (${scores}), ${detail}`)
    if (score < GOAL) slow.push(page)
  }
  return lost
}

let unmeasured
try {
  unmeasured = await measureAll(await measureAll(process.argv.length > 2 ? process.argv.slice(2) : pages))
} finally {
  await server.remove()
  packages.remove()
}
if (slow.length > 0) console.error(`The median score is below ${GOAL}: ${slow.join(', ')}`)
if (unmeasured.length > 0) console.error(`Not measured, because the browser recorded no navigation: ${unmeasured.join(', ')}`)
if (slow.length + unmeasured.length > 0) process.exitCode = 1
