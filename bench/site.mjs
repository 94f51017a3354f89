// Measures the visitors' site with the mobile profile of Lighthouse 12. Each figure is the median of several runs.
// Usage: node bench/site.mjs [--runs 3] [--pages /,/events,/young-musician,/contact] [--json FILE]
// Starts a program that serves web/club/dist (or CLOCH_TEST_WEB). npx runs Lighthouse, unless CLOCH_LIGHTHOUSE is the path of its cli/index.js.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { startProject } from '../tests/support/program.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}
const root = resolve(import.meta.dirname, '..')
const runs = Number(option('runs', 3))
const pages = option('pages', '/,/events,/young-musician,/contact').split(',')
const web = process.env.CLOCH_TEST_WEB ?? join(root, 'web/club/dist')
const lighthouse = process.env.CLOCH_LIGHTHOUSE ? [process.execPath, process.env.CLOCH_LIGHTHOUSE] : ['npx', '--yes', 'lighthouse@12']
const chromium = process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find(existsSync)

/** The measured values: the path of each value in Lighthouse's report, and the goal. */
const figures = {
  ...Object.fromEntries(
    ['performance', 'accessibility', 'best-practices', 'seo'].map((name) => [
      name,
      { read: ({ categories }) => Math.round(categories[name].score * 100), fits: (value) => value >= 95 },
    ]),
  ),
  'LCP ms': { read: ({ audits }) => Math.round(audits['largest-contentful-paint'].numericValue), fits: (value) => value < 2000 },
  'FCP ms': { read: ({ audits }) => Math.round(audits['first-contentful-paint'].numericValue), fits: () => true },
  'TBT ms': { read: ({ audits }) => Math.round(audits['total-blocking-time'].numericValue), fits: (value) => value < 150 },
  CLS: { read: ({ audits }) => Number(audits['cumulative-layout-shift'].numericValue.toFixed(3)), fits: (value) => value < 0.05 },
  'script KB': { read: ({ audits }) => Math.round(bytesOf(audits, 'Script') / 1024), fits: (value) => value <= 130 },
}

const bytesOf = (audits, type) =>
  audits['network-requests'].details.items.filter(({ resourceType }) => resourceType === type).reduce((sum, { transferSize }) => sum + transferSize, 0)
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

const folder = mkdtempSync(join(tmpdir(), 'cloch-site-'))
function measure(url) {
  const file = join(folder, 'report.json')
  const flags = ['--headless=new', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])].join(' ')
  const [command, ...first] = lighthouse
  execFileSync(command, [...first, url, '--quiet', '--output=json', `--output-path=${file}`, `--chrome-flags=${flags}`], {
    env: { ...process.env, ...(existsSync(chromium) ? { CHROME_PATH: chromium } : {}) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return JSON.parse(readFileSync(file, 'utf8'))
}

const settings = readFileSync(join(root, 'supabase-config/cloch.toml'), 'utf8')
const server = await startProject({ files: { 'cloch.toml': settings.replace('app = "embedded"', `app = ${JSON.stringify(web)}`) } })
try {
  const table = {}
  for (const page of pages) {
    const reports = Array.from({ length: runs }, () => measure(server.url + page))
    table[page] = Object.fromEntries(Object.entries(figures).map(([name, { read }]) => [name, median(reports.map(read))]))
    const row = Object.entries(table[page]).map(([name, value]) => `${name} ${value}${figures[name].fits(value) ? '' : ' (!)'}`)
    console.log(`${page.padEnd(16)} ${row.join('  ')}`)
    if (option('json')) writeFileSync(option('json'), JSON.stringify({ table, last: reports.at(-1) }))
  }
} finally {
  await server.remove()
  rmSync(folder, { recursive: true, force: true })
}
