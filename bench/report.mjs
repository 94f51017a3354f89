// Runs the benchmarks and writes docs/benchmarks.md with its charts: `node bench/report.mjs [--only rest,growth] [--from FILE]`.
// `--from FILE` writes the page from the results of an earlier run. `scripts/bench-report` builds what it needs.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { charts } from './report/charts.mjs'
import { machine } from './report/machine.mjs'
import { page } from './report/page.mjs'

const root = resolve(import.meta.dirname, '..')
const option = (name) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}

/** The measurements: the command of each one, and the environment of its process. */
export const benchmarks = [
  { name: 'rest', command: ['bench/rest.mjs', '--rounds', '3'] },
  { name: 'storage', command: ['bench/storage.mjs', '--rounds', '3'] },
  { name: 'functions', command: ['bench/functions.mjs', '--rounds', '3'] },
  { name: 'realtime', command: ['bench/realtime.mjs'], environment: { SECONDS: '30' } },
  { name: 'auth', command: ['bench/auth.mjs'] },
  { name: 'memory', command: ['bench/memory.mjs'] },
  { name: 'starts', command: ['bench/starts.mjs'] },
  { name: 'backup', command: ['bench/backup.mjs', '--rows', '1024', '--files', '256', '--rounds', '3'] },
  { name: 'growth', command: ['bench/growth.mjs'] },
]

function measure() {
  const chosen = option('only')?.split(',') ?? benchmarks.map(({ name }) => name)
  const folder = mkdtempSync(join(tmpdir(), 'cloch-bench-report-'))
  const file = join(folder, 'results.jsonl')
  const failed = []
  for (const { name, command, environment } of benchmarks.filter((one) => chosen.includes(one.name))) {
    console.log(`\n▶ ${name}`)
    const { status } = spawnSync('node', command, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment, CLOCH_BENCH_RECORD: file } })
    if (status !== 0) failed.push(name)
  }
  const results = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  rmSync(folder, { recursive: true })
  return { date: new Date().toISOString().slice(0, 10), machine: machine(), failed, results }
}

const from = option('from')
const run = from === undefined ? measure() : JSON.parse(readFileSync(from, 'utf8'))
const images = join(root, 'docs/images/benchmarks')
mkdirSync(images, { recursive: true })
writeFileSync(join(root, 'docs/images/benchmarks/results.json'), `${JSON.stringify(run, undefined, 1)}\n`)
for (const name of readdirSync(images).filter((name) => name.endsWith('.svg'))) rmSync(join(images, name))
const drawn = charts(run.results)
for (const { file, svg } of drawn) writeFileSync(join(images, file), svg)
writeFileSync(join(root, 'docs/benchmarks.md'), page(run, drawn))
console.log(`\nwrote docs/benchmarks.md and ${drawn.length} charts${run.failed.length > 0 ? `; failed: ${run.failed.join(', ')}` : ''}`)
process.exitCode = run.failed.length > 0 ? 1 : 0
