// Measures Cloch while a project grows: tables, rows, realtime connections, functions. Each size is measured on a separate server.
// Usage: CLOCH_TEST_PROGRAM=target/release/cloch node bench/growth.mjs [--only tables,rows,sockets,functions] [--seconds 2]

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { startDatabase } from '../tests/differential/database.mjs'
import { token } from '../tests/differential/servers.mjs'
import { deno } from '../tests/support/deno.mjs'
import { sleep, startProject } from '../tests/support/program.mjs'
import { megabytes, quantile } from './process.mjs'
import { startProgram } from './program.mjs'
import { record } from './record.mjs'

const { WebSocket } = createRequire(join(resolve(import.meta.dirname, '..'), 'tests/package.json'))('ws')
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}
const seconds = option('seconds', '2')
const only = option('only', 'tables,rows,sockets,functions').split(',')
const load = process.env.CLOCH_LOAD_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '../target'), 'release/examples/load')
const folder = mkdtempSync(join(tmpdir(), 'cloch-bench-growth-'))
const authorization = `authorization: Bearer ${token({ role: 'authenticated', sub: 'admin', app_role: 'admin', exp: 4102444800 })}`

function add(name, size, value, unit, less) {
  console.log(`${name.padEnd(52)} ${size.toLocaleString('en').padStart(10)}  ${value.toFixed(1)} ${unit}`)
  record({ group: 'Growth', name, size, value, unit, less })
}

/** Measures the requests per second of 32 connections that repeat one GET request. */
async function rate(server, path) {
  const file = join(folder, 'request')
  writeFileSync(file, [`GET /rest/v1${path} HTTP/1.1`, 'host: bench', authorization, '', ''].join('\r\n'))
  const { stdout } = await promisify(execFile)(load, [String(server.port), '32', seconds, file, '200'])
  const { per_second, failures } = JSON.parse(stdout)
  if (failures > 0) throw new Error(`${failures} of the requests to ${path} failed`)
  return per_second
}

/** Creates tables with a foreign key to the previous table. Measures the time to load the schema cache, memory, and reads of one row. */
async function tables(count) {
  const database = await startDatabase({ schemas: ['../../bench/schema.sql'] })
  try {
    const create = 'create table wide_%s (id int primary key, name text, at timestamptz, parent_id int references wide_%s)'
    for (let from = 1; from <= count; from += 500) {
      const to = Math.min(count, from + 499)
      database.psql(`do $$ begin for i in ${from}..${to} loop execute format('${create}', i, greatest(i - 1, 1)); end loop; end $$`)
    }
    database.psql('grant select on all tables in schema public to anon, authenticated, service_role; insert into wide_1 values (1)')
    const cloch = await startProgram(database)
    try {
      await sleep(1000)
      const [, loaded] = /schema cache: loaded.*?duration_ms[=":]+(\d+)/.exec(cloch.output().replaceAll(/\x1b\[\d+m/g, ''))
      add('tables: time to load the schema cache', count, Number(loaded), 'ms', true)
      add('tables: resident memory', count, megabytes(cloch.pid), 'MB', true)
      add('tables: reads of one row', count, await rate(cloch, '/wide_1?id=eq.1'), 'requests/s')
    } finally {
      await cloch.stop()
    }
  } finally {
    await database.stop()
  }
}

/** Fills one table that has a primary key and an index on a time. Measures reads of one row by its key, and of the newest 50 rows. */
async function rows(counts) {
  const database = await startDatabase({ schemas: ['../../bench/schema.sql'] })
  try {
    database.psql('create table entries (id int primary key, name text not null, at timestamptz not null); create index on entries (at desc); grant select on entries to authenticated')
    const cloch = await startProgram(database)
    try {
      let from = 0
      for (const count of counts) {
        database.psql(`insert into entries select i, md5(i::text), '2026-01-01'::timestamptz + i * interval '1 second' from generate_series(${from + 1}, ${count}) i; analyze entries`)
        from = count
        await sleep(500)
        add('rows: reads of one row by its key', count, await rate(cloch, `/entries?id=eq.${Math.floor(count / 2)}`), 'requests/s')
        add('rows: reads of the newest 50 rows', count, await rate(cloch, '/entries?order=at.desc&limit=50'), 'requests/s')
      }
    } finally {
      await cloch.stop()
    }
  } finally {
    await database.stop()
  }
}

/** Opens a socket that joins a topic. `take` is called with the payload of each broadcast. */
async function member(cloch, topic, take) {
  const socket = new WebSocket(`ws://127.0.0.1:${cloch.port}/realtime/v1/websocket?apikey=${cloch.anonKey}&vsn=2.0.0`)
  await once(socket, 'open')
  const joined = new Promise((done) => {
    socket.on('message', (data) => {
      const [, , , event, payload] = JSON.parse(data)
      if (event === 'phx_reply') done()
      else if (event === 'broadcast') take(payload.payload)
    })
  })
  socket.send(JSON.stringify(['1', '1', topic, 'phx_join', { config: { broadcast: { self: true } } }]))
  await joined
  return socket
}

/** Opens connections in topics with at most 100 members. Measures the memory of the program, and the delay of broadcasts to one topic. */
async function sockets(count) {
  const limits = '[limits.realtime]\nsockets_per_network = 20000\n[limits.connections]\nper_network = 20000\ntotal = 20000\n'
  const cloch = await startProject({ from: null, files: { 'cloch.toml': limits }, environment: { CLOCH_LOG: 'warn' } })
  const made = []
  try {
    const delays = []
    for (let from = 0; from < count; from += 50) {
      const batch = Array.from({ length: Math.min(50, count - from) }, (_, n) => member(cloch, `realtime:topic-${Math.floor((from + n) / 100)}`, ({ at }) => delays.push(performance.now() - at)))
      made.push(...(await Promise.all(batch)))
    }
    add('connections: resident memory', count, megabytes(cloch.child.pid), 'MB', true)
    const members = Math.min(count, 100)
    for (let turn = 0; turn < 50; turn += 1) {
      made[turn % members].send(JSON.stringify(['1', '2', 'realtime:topic-0', 'broadcast', { type: 'broadcast', event: 'x', payload: { at: performance.now() } }]))
      await sleep(20)
    }
    for (let waited = 0; delays.length < 50 * members && waited < 10_000; waited += 50) await sleep(50)
    if (delays.length !== 50 * members) throw new Error(`${50 * members - delays.length} broadcasts lost`)
    add('connections: delay of a broadcast, 99 %', count, quantile(delays, 0.99), 'ms', true)
  } finally {
    for (const socket of made) socket.terminate()
    await cloch.remove()
  }
}

/** Creates functions in a project and calls one of them. Measures the time to the first response, and the memory of the program. */
async function functions(count) {
  const names = Array.from({ length: count }, (_, n) => `function-${n}`)
  const cloch = await startProject({
    from: null,
    files: Object.fromEntries(names.map((name) => [`functions/${name}/index.ts`, 'export default { fetch: () => new Response("hello") };\n'])),
    change: (config) => config + names.map((name) => `[functions.${name}]\nverify_jwt = false\n`).join(''),
    environment: { CLOCH_DENO: deno, CLOCH_LOG: 'warn' },
  })
  try {
    const begun = performance.now()
    const response = await fetch(`${cloch.url}/functions/v1/${names.at(-1)}`)
    if ((await response.text()) !== 'hello') throw new Error(`status ${response.status}`)
    add('functions: first response of a function', count, performance.now() - begun, 'ms', true)
    add('functions: resident memory', count, megabytes(cloch.child.pid), 'MB', true)
  } finally {
    await cloch.remove()
  }
}

try {
  if (only.includes('tables')) for (const count of [10, 100, 1000, 10_000]) await tables(count)
  if (only.includes('rows')) await rows([1000, 10_000, 100_000, 1_000_000, 10_000_000])
  if (only.includes('sockets')) for (const count of [1, 10, 100, 1000, 10_000]) await sockets(count)
  if (only.includes('functions')) for (const count of [1, 10, 100, 500]) await functions(count)
} finally {
  rmSync(folder, { recursive: true })
}
