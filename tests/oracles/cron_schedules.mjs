/**
 * Writes the expected results in sql/tests/it/cron_schedules.tsv, which come from pg_cron's own parser. Generates valid and mutated schedules.
 * Compiles the parser together with cron_schedules.c, and lets this program parse the schedules. Needs a C compiler and pg_cron's source
 * (github.com/citusdata/pg_cron, tag v1.6.4, the version of hosted projects). CLOCH_ORACLE_SEED: another choice of schedules.
 *
 *   node tests/oracles/cron_schedules.mjs PG_CRON_SOURCE COUNT > sql/tests/it/cron_schedules.tsv
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { randomFrom } from './random.mjs'

/** Only runs after this time are computed. */
const AFTER = '2026-02-27T22:58:30Z'
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const DAYS = 'sun mon tue wed thu fri sat'.split(' ')
const FIELDS = [{ low: 0, high: 59, names: [] }, { low: 0, high: 23, names: [] }, { low: 1, high: 31, names: [] }, { low: 1, high: 12, names: MONTHS }, { low: 0, high: 7, names: DAYS }]
const KEYWORDS = 'reboot restart yearly annually monthly weekly daily midnight hourly'.split(' ')
/** Schedules that the generator makes only rarely. */
const FIXED = [
  ...KEYWORDS.flatMap((word) => [`@${word}`, ` \t@${word} 5`, `@${word}s`, `@${word.toUpperCase()}`]),
  ...['', ' ', '\n', '@', '# comment', '* * * *', '* * * * *', '* * * * * *', '0 0 */100 * *', '*/60 * * * *', '1-59/500 * * * *', '0 0 29 2 *', '0 0 30 2 *'],
  ...['0 0 $ * *', '0 0 $ * 1', '0 0 $', '0 0 $1 * *', '0 0 1,$ * *', '0 0 */2 * 1', '0 0 1,* * 1', '0 0 13 * 5', '0 0 1 1 sun-mon', '0 0 1 1 fri-mon', '0 20-5 * * *', '50-10 * * * *'],
  ...['# x\n5 4 * * *', '\n\n5 4 * * *', '5 4 * * *\n', '5 4\n* * *', '5 4 * *\n*', '5 4 * * *\r\n', '5;x 4 * * *', '*x 4 * * *', '5x 4 * * *', '00000000000005 4 * * *', '1-5-7 4 * * *', '*/5/2 * * * *'],
  ...['30 seconds', '30 second', '30 seconds ', '30 second ', '30\nseconds', '30seconds', '+30 seconds', '-30 seconds', '060 seconds', '59 seconds', '60 seconds', '0 seconds', '30 secondss', '30 seconds x', '30 sEcOnDs', '30 second\n'],
  ...[`* * * * *${' '.repeat(991)}`, `* * * * *${' '.repeat(990)}`, `${' '.repeat(1200)}30 seconds`, '0 12 ä * *', '0 12 * * * ä', '5ä 12 * * *', '*ä 12 * * *'],
]

const { below, of, next } = randomFrom()

function number({ low, high, names }) {
  if (names.length > 0 && next() < 0.3) return of([(name) => name, (name) => name.toUpperCase(), (name) => name[0].toUpperCase() + name.slice(1)])(of(names))
  const value = next() < 0.04 ? high + 1 + below(100) : low + below(high - low + 1)
  return next() < 0.03 ? `0${value}` : String(value)
}

function item(field) {
  const step = () => (next() < 0.3 ? `/${next() < 0.15 ? below(1000) : 1 + below(field.high)}` : '')
  const kind = next()
  if (kind < 0.35) return `*${step()}`
  if (kind < 0.7) return number(field)
  const ends = [number(field), number(field)]
  if (next() < 0.85 && ends.every((end) => /^\d+$/.test(end))) ends.sort((a, b) => a - b)
  return `${ends.join('-')}${step()}`
}

function schedule() {
  if (next() < 0.02) return `${below(70)}${of(['', ' ', '\t'])}${of(['second', 'seconds', 'Seconds'])}`
  const fields = FIELDS.map((field, at) => {
    if (at === 2 && next() < 0.06) return '$'
    if (next() < 0.3) return '*'
    return Array.from({ length: next() < 0.75 ? 1 : 2 + below(3) }, () => item(field)).join(',')
  })
  let text = fields.map((field, at) => (at === 0 ? field : `${of([' ', ' ', ' ', '  ', '\t'])}${field}`)).join('')
  for (let rounds = next() < 0.3 ? 1 + below(2) : 0; rounds > 0; rounds--) {
    const at = below(text.length + 1)
    text = text.slice(0, at) + of([...'*/-,$@#;x0195 \t\n\r', 'mon', 'feb', ' *', '']) + text.slice(at + below(2))
  }
  return text
}

const folder = mkdtempSync(join(tmpdir(), 'pg-cron-'))
try {
  const [source, count] = process.argv.slice(2)
  writeFileSync(join(folder, 'postgres.h'), '#define DEBUG1 14\n#define elog(...) ((void) 0)\n')
  const program = join(folder, 'cron_schedules')
  const sources = [join(import.meta.dirname, 'cron_schedules.c'), join(source, 'src/entry.c'), join(source, 'src/misc.c')]
  execFileSync('cc', ['-O1', '-fwrapv', '-fcommon', '-w', '-D_GNU_SOURCE', `-I${folder}`, `-I${join(source, 'include')}`, '-o', program, ...sources])
  const schedules = new Set(FIXED)
  while (schedules.size < Number(count)) schedules.add(schedule())
  const input = [...schedules].map((text) => JSON.stringify(text)).join('\n')
  process.stdout.write(execFileSync(program, [String(Date.parse(AFTER) / 1000)], { input, maxBuffer: 1 << 30 }))
} finally {
  rmSync(folder, { recursive: true })
}
