// Measures the program's memory: idle, with 256 connections, and the peak for request and response bodies of 1, 10 and 50 MB. Also measures the
// time to load the schema cache of 2,000 tables. Usage: node bench/memory.mjs [catalog]

import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'

import { startDatabase } from '../tests/differential/database.mjs'
import { token } from '../tests/differential/servers.mjs'
import { startProgram } from './program.mjs'
import { record } from './record.mjs'

const authorization = `Bearer ${token({ role: 'authenticated', sub: 'admin', app_role: 'admin', exp: 4102444800 })}`
const status = (pid, name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Sends a request. Reads the response and discards it. */
const exchange = (port, { method = 'GET', path, body, agent }) =>
  new Promise((resolve, reject) => {
    const headers = { authorization, 'content-type': 'application/json', ...(body ? { 'content-length': body.length } : {}) }
    const request = http.request({ host: '127.0.0.1', port, method, path: `/rest/v1${path}`, headers, agent }, (response) => {
      let length = 0
      response.on('data', (chunk) => (length += chunk.length))
      response.on('end', () => resolve({ status: response.statusCode, length }))
      response.on('error', reject)
    })
    request.on('error', reject)
    request.end(body)
  })

const database = await startDatabase({ schemas: ['../../bench/schema.sql'] })
try {
  database.psql('create table big (id int generated always as identity primary key, body text); grant select, insert on big to authenticated')
  database.psql("insert into big (body) select repeat('x', 1000) from generate_series(1, 60000)")
  if (!process.argv.includes('catalog')) await bodies()
  await catalog()
} finally {
  await database.stop()
}

async function bodies() {
  // With the default limit of rows, the bodies would be shorter.
  database.psql("alter role postgres set pgrst.db_max_rows = '100000'")
  for (const direction of ['in', 'out'])
    for (const megabytes of [1, 10, 50]) {
      const cloch = await startProgram(database)
      try {
        await pause(300)
        const idle = status(cloch.pid, 'VmRSS')
        const rows = megabytes * 1000
        const body = Buffer.from(JSON.stringify(Array.from({ length: rows }, () => ({ body: 'y'.repeat(988) }))))
        writeFileSync(`/proc/${cloch.pid}/clear_refs`, '5')
        const request = direction === 'in' ? { method: 'POST', path: '/big', body } : { path: `/big?limit=${rows}&order=id` }
        const answer = await exchange(cloch.port, request)
        const size = (direction === 'in' ? body.length : answer.length) / 1e6
        const peak = status(cloch.pid, 'VmHWM') - idle
        console.log(`${size.toFixed(1).padStart(5)} MB ${direction.padEnd(3)}  ${answer.status}  peak above idle ${peak.toFixed(1)} MB = ${(peak / size).toFixed(2)} N (goal 2), idle ${idle.toFixed(1)} MB`)
      } finally {
        await cloch.stop()
      }
    }
  const cloch = await startProgram(database)
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })
  try {
    await pause(300)
    const idle = status(cloch.pid, 'VmRSS')
    const turns = Array.from({ length: 256 }, async () => {
      for (let turn = 0; turn < 40; turn++) await exchange(cloch.port, { path: '/judged?select=id,title,score,state,created_at&order=id&limit=100', agent })
    })
    await Promise.all(turns)
    const own = (name) => `${status(cloch.pid, name).toFixed(1)} MB`
    record({ group: 'Start and memory', name: 'peak resident memory under 256 connections that read', unit: 'MB', less: true, value: status(cloch.pid, 'VmHWM') })
    console.log(`idle ${idle.toFixed(1)} MB (goal 30), under 256 connections ${own('VmHWM')} (goal 60), of which ${own('RssAnon')} are not the program's file`)
  } finally {
    agent.destroy()
    await cloch.stop()
  }
  database.psql('alter role postgres reset pgrst.db_max_rows')
}

async function catalog() {
  const create = 'create table wide_%s (id int primary key, name text, at timestamptz, parent_id int references wide_%s)'
  for (let batch = 0; batch < 4; batch++)
    database.psql(`do $$ begin for i in ${batch * 500 + 1}..${batch * 500 + 500} loop execute format('${create}', i, greatest(i - 1, 1)); end loop; end $$`)
  database.psql('grant select on all tables in schema public to anon, authenticated, service_role; analyze')
  const cloch = await startProgram(database)
  try {
    await pause(1000)
    for (let turn = 0; turn < 3; turn++) {
      database.psql("notify pgrst, 'reload schema'")
      await pause(1500)
    }
    const plain = cloch.output().replace(/\x1b\[\d+m/g, '')
    const times = [...plain.matchAll(/schema cache: loaded.*?duration_ms[=":]+(\d+)/g)].map((match) => match[1])
    console.log(`catalog of 2,000 tables: first load ${times[0]} ms, reloads ${times.slice(1).join(', ')} ms (goal 1000); resident ${status(cloch.pid, 'VmRSS').toFixed(1)} MB`)
  } finally {
    await cloch.stop()
  }
}
