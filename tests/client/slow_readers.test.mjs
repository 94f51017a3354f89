/**
 * Visitors that request large responses and do not read them. The whole program, not only the code that counts, must stay within the memory that
 * docs/security.md names: 256 MiB for all responses to visitors, at most 64 MiB for one.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'

import { sleep, startProject } from '../support/program.mjs'

const MIB = 1 << 20
/** Budget of all responses to visitors. */
const BUDGET = 256 * MIB
/** What the connections, the allocator and small responses may need in addition. */
const BESIDE = 64 * MIB
const VISITORS = 8

const migration = `
-- A busy machine must not end statements: their memory is what is measured.
alter role anon set statement_timeout = '60s';
create type public.place as (x int, y int);
create table public.pages (at public.place default row(1, 2), id bigint primary key generated always as identity, body text not null);
alter table public.pages enable row level security;
create policy "everybody reads" on public.pages for select using (true);
grant select on public.pages to anon;
alter table public.pages alter column body set storage external;
insert into public.pages (body) select repeat(md5(number::text), 8 * 1024) from generate_series(1, 200) as number;
`

let server
const sockets = []

before(async () => {
  server = await startProject({
    from: null,
    files: { 'migrations/1_pages.sql': migration },
  })
})

after(async () => {
  for (const socket of sockets) socket.destroy()
  await server?.remove()
})

/** Returns the memory of the program in bytes, without the pages of its own file. */
const memory = () => 1024 * Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))[1])

/** The program converts rows to JSON; PostgreSQL does so for rows with composite values, and for CSV. */
const FORMS = [
  { name: 'JSON', select: 'body', accept: 'application/json' },
  { name: "PostgreSQL's JSON", select: 'body,at', accept: 'application/json' },
  { name: 'CSV', select: 'body', accept: 'text/csv' },
]
const path = ({ select }, rows) => `/rest/v1/pages?select=${select}&limit=${rows}`
const headers = ({ accept }) => ({ apikey: server.anonKey, accept })

/** Sends a request and reads only the first bytes of its response. */
function requestWithoutReading(form, rows) {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  socket.on('error', () => {})
  return new Promise((done) => {
    socket.once('readable', () => done(socket.read(12)?.toString().slice(9) ?? ''))
    socket.write(
      `GET ${path(form, rows)} HTTP/1.1\r\nhost: ${hostname}\r\naccept: ${form.accept}\r\napikey: ${server.anonKey}\r\n\r\n`,
    )
  })
}

for (const form of FORMS) {
  test(`slow visitors use the promised memory together, and others are served: ${form.name}`, async () => {
    const warm = await fetch(server.url + path(form, 8), {
      headers: headers(form),
    })
    assert.equal((await warm.text()).length > 2 * MIB, true)
    const idle = memory()

    let highest = 0
    let over = false
    const watch = (async () => {
      for (; !over; await sleep(5)) highest = Math.max(highest, memory())
    })()
    // 50 MiB for each, 400 MiB together.
    const answers = await Promise.all(Array.from({ length: VISITORS }, () => requestWithoutReading(form, 200)))
    await sleep(500)
    const small = await fetch(`${server.url}/rest/v1/pages?select=id&limit=3`, {
      headers: headers(FORMS[0]),
    })
    assert.equal(small.status, 200, await small.text())
    over = true
    await watch

    for (const socket of sockets.splice(0)) socket.destroy()
    await sleep(500)
    const accepted = answers.filter((status) => status === '200').length
    // 504: a busy machine did not finish the statement in the time of a visitor's request.
    assert.ok(
      answers.every((status) => ['200', '503', '504'].includes(status)),
      `answers: ${answers}`,
    )
    assert.ok(accepted > 0)
    assert.ok(highest - idle <= BUDGET + BESIDE, `${Math.round((highest - idle) / MIB)} MiB for ${accepted} responses`)
    const again = await fetch(server.url + path(form, 200), {
      headers: headers(form),
    })
    assert.equal(again.status, 200)
    assert.ok((await again.arrayBuffer()).byteLength > 49 * MIB)
  })
}

test('a response of more than 64 MiB is refused to a visitor', async () => {
  const response = await fetch(server.url + '/rest/v1/pages?select=body,again:body', { headers: headers(FORMS[0]) })
  assert.equal(response.status, 400)
  assert.equal((await response.json()).message, 'The answer has more than 64 MiB')
})
