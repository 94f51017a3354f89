// Measures the time until the program is ready, for the first start with an empty data folder, for a later start, and for a start after kill -9.
// Also measures the memory of an idle program. Does this for an empty project and for the club's project.
// Usage: CLOCH_TEST_PROGRAM=target/release/cloch node bench/starts.mjs [--rounds 5]

import { makeProject, sleep, start } from '../tests/support/program.mjs'
import { median, megabytes } from './process.mjs'
import { record } from './record.mjs'

const at = process.argv.indexOf('--rounds')
const rounds = at < 0 ? 5 : Number(process.argv[at + 1])
const environment = { CLOCH_LOG: 'warn' }

/** Runs one round. Returns the milliseconds of the three starts, and the memory in MB ten idle seconds after the first start. */
async function round(options) {
  const place = await makeProject({ ...options, fresh: true })
  const first = await start(place, { environment })
  await sleep(10_000)
  const memory = { all: megabytes(first.child.pid), own: megabytes(first.child.pid, 'RssAnon') }
  await first.stop()
  const second = await start(place, { environment })
  await second.kill()
  const killed = await start(place, { environment })
  await killed.remove()
  return { first: first.readyAfter, second: second.readyAfter, killed: killed.readyAfter, ...memory }
}

for (const [project, options] of Object.entries({ 'an empty project': { from: null }, "the club's project": {} })) {
  const seen = []
  for (let number = 0; number < rounds; number += 1) seen.push(await round(options))
  const of = (key) => median(seen.map((one) => one[key]))
  for (const [key, name, unit] of [
    ['first', 'first start, database included', 'ms'],
    ['second', 'later start', 'ms'],
    ['killed', 'start after kill -9', 'ms'],
    ['all', 'resident memory of the idle program, 10 s after its first start', 'MB'],
    ['own', 'of it not mapped from the program file', 'MB'],
  ]) {
    console.log(`${project}: ${name}: ${of(key).toFixed(0)} ${unit}`)
    record({ group: 'Start and memory', name: `${name}, ${project}`, unit, less: true, value: of(key) })
  }
}
