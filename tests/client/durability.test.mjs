/** Which data remains if the program, the database, or both are killed during work. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { healthy, makeProject, sleep, start } from '../support/program.mjs'

const migration = `
create table public.notes (id bigint primary key, body text not null);
alter table public.notes enable row level security;
create policy "anyone writes" on public.notes for insert to anon with check (true);
insert into storage.buckets (id, name, public) values ('files', 'files', false);
create policy "anyone uploads" on storage.objects for insert to anon with check (bucket_id = 'files');
`

let place
let cloch
const workers = new Set()
after(async () => {
  await Promise.all([...workers].map((worker) => worker.stop()))
  await cloch?.remove()
})

const databasePid = () => {
  let folder = join(place.data, 'db')
  try {
    folder = readlinkSync(folder)
  } catch {
    // A plain folder.
  }
  return Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0])
}

/** Inserts rows and uploads files until the test stops it. Returns the acknowledged rows and files. */
async function work(client, from) {
  const acknowledged = { rows: [], files: [] }
  let id = from
  let stopped = false
  const loop = async () => {
    while (!stopped) {
      const mine = (id += 1)
      const { error } = await client.from('notes').insert({ id: mine, body: 'x'.repeat(200) })
      if (!error) acknowledged.rows.push(mine)
      const path = `${mine}.bin`
      const body = new Blob([Buffer.alloc(300_000, mine % 251)], { type: 'application/octet-stream' })
      const upload = await client.storage.from('files').upload(path, body)
      if (!upload.error) acknowledged.files.push(mine)
      if (error && upload.error) await sleep(20)
    }
  }
  const loops = [loop(), loop(), loop(), loop()]
  const worker = {
    acknowledged,
    stop: async () => {
      stopped = true
      await Promise.all(loops)
    },
  }
  workers.add(worker)
  return worker
}

async function verify(acknowledged) {
  const service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  const { data, error } = await service.from('notes').select('id').order('id').limit(100000)
  assert.equal(error, null)
  const rows = new Set(data.map((row) => row.id))
  for (const id of acknowledged.rows) assert.ok(rows.has(id), `row ${id} was acknowledged and is lost`)
  const listed = await service.storage.from('files').list('', { limit: 100000 })
  const visible = new Set(listed.data.map((object) => Number.parseInt(object.name, 10)))
  for (const id of acknowledged.files) assert.ok(visible.has(id), `file ${id} was acknowledged and is lost`)
  for (const id of visible) {
    const { data: file, error: failed } = await service.storage.from('files').download(`${id}.bin`)
    assert.equal(failed, null, `file ${id} is listed and cannot be read`)
    const bytes = Buffer.from(await file.arrayBuffer())
    assert.ok(bytes.equals(Buffer.alloc(300_000, id % 251)), `file ${id} is not what was sent`)
  }
}

test('nothing acknowledged is lost, nothing half done is visible', async (context) => {
  place = await makeProject({ from: null, fresh: true, files: { 'migrations/1_notes.sql': migration } })
  cloch = await start(place)
  const client = () => createClient(place.url, cloch.anonKey, { auth: { persistSession: false } })
  let from = 0

  await context.test('the program is killed', async () => {
    const worker = await work(client(), from)
    await sleep(1500)
    await cloch.kill()
    await worker.stop()
    cloch = await start(place)
    assert.ok(worker.acknowledged.rows.length > 0 && worker.acknowledged.files.length > 0)
    await verify(worker.acknowledged)
    from += 100_000
  })

  await context.test('the database is killed: 503 until it is back, then service without a restart', async () => {
    const worker = await work(client(), from)
    await sleep(700)
    process.kill(databasePid(), 'SIGKILL')
    const statuses = []
    for (let attempt = 0; attempt < 400; attempt += 1) {
      const answer = await fetch(`${place.url}/rest/v1/notes?select=id&limit=1`, {
        headers: { apikey: cloch.serviceKey },
      })
      statuses.push(answer.status)
      if (answer.status === 200 && statuses.includes(503)) break
      // If a connection is terminated during a query, the error code is 57P01. Later requests cannot connect.
      if (answer.status === 503) assert.match((await answer.json()).code, /^(PGRST00|57P0)/)
      await sleep(25)
    }
    await worker.stop()
    assert.equal(statuses.at(-1), 200, `${[...new Set(statuses)]}`)
    assert.ok([...new Set(statuses)].every((status) => status === 200 || status === 503), `${[...new Set(statuses)]}`)
    await verify(worker.acknowledged)
    from += 100_000
  })

  await context.test('both are killed', async () => {
    const worker = await work(client(), from)
    await sleep(700)
    process.kill(databasePid(), 'SIGKILL')
    await cloch.kill()
    await worker.stop()
    cloch = await start(place)
    await verify(worker.acknowledged)
  })

  await context.test('a second start on the same folder is refused', () => {
    const other = ['start', '--project', place.project, '--data', place.data, '--port', String(place.port + 1)]
    assert.throws(
      () => execFileSync(cloch.child.spawnfile, other, { stdio: 'pipe', timeout: 20_000 }),
      (error) => /another cloch \(process \d+\) uses the data folder/.test(error.stderr.toString()),
    )
  })

  await context.test('the server stops cleanly on request', async () => {
    const pid = databasePid()
    const { code } = await cloch.stop()
    assert.equal(code, 0)
    assert.throws(() => process.kill(pid, 0), 'the database is gone too')
    assert.equal(await healthy(place.url), false)
    cloch = await start(place)
  })
})
