/**
 * Writers record each acknowledged write. Meanwhile the program, PostgreSQL, a base backup or the target fails at a random moment. Then the test
 * kills the program, as if its machine were lost, and restores the backup. Every write that was acknowledged before the last moment in the status
 * must be there, every object must have its bytes, and the state at a recorded moment must be exact. The test prints the age of the first lost write.
 * CLOCH_TEST_BACKUP_ROUNDS: number of rounds for each kind of target. CLOCH_TEST_BACKUP_LIMIT: maximum time in milliseconds between the first lost
 * write and the kill; an optimised program on an idle machine achieves 1000.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { binary, makeProject, removePlace, sleep, start } from '../support/program.mjs'
import { askS3 } from '../support/s3.mjs'

const rounds = Number(process.env.CLOCH_TEST_BACKUP_ROUNDS ?? 2)
const limit = Number(process.env.CLOCH_TEST_BACKUP_LIMIT ?? Infinity)
const writers = 32
const environment = { CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const migration = `
create table public.notes (id text primary key, body text not null);
insert into storage.buckets (id, name, public) values ('files', 'files', false);
`
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
const pick = (list) => list[randomInt(list.length)]

/**
 * The written rows and objects by name. Each entry has the digest, and the times of the write request, its acknowledgement, the deletion and the
 * deletion's acknowledgement.
 */
const known = new Map()

const ask = async (cloch, method, path, body, headers = {}) => {
  const answer = await fetch(cloch.url + path, { method, body, headers: { authorization: `Bearer ${cloch.serviceKey}`, ...headers } })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${answer.status} ${text}`)
  return answer
}
const json = { 'content-type': 'application/json' }

const kinds = {
  row: (cloch, name, bytes) => ask(cloch, 'POST', '/rest/v1/notes', JSON.stringify({ id: name, body: bytes.toString('hex') }), json),
  plain: (cloch, name, bytes) => ask(cloch, 'POST', `/storage/v1/object/files/${name}`, bytes),
  s3: async (cloch, name, bytes) => {
    const answer = await askS3(cloch, 'PUT', `/files/${name}`, { body: bytes })
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  },
  tus: async (cloch, name, bytes) => {
    const encode = (text) => Buffer.from(text).toString('base64')
    const metadata = `bucketName ${encode('files')},objectName ${encode(name)}`
    const tus = { 'tus-resumable': '1.0.0' }
    const made = await ask(cloch, 'POST', '/storage/v1/upload/resumable', undefined, { ...tus, 'upload-length': bytes.length, 'upload-metadata': metadata })
    const path = new URL(made.headers.get('location'), cloch.url).pathname
    const half = bytes.length >> 1
    const patch = (from, part) => ask(cloch, 'PATCH', path, part, { ...tus, 'upload-offset': from, 'content-type': 'application/offset+octet-stream' })
    await patch(0, bytes.subarray(0, half))
    await patch(half, bytes.subarray(half))
  },
  user: (cloch, name) => ask(cloch, 'POST', '/auth/v1/admin/users', JSON.stringify({ email: `${name}@example.org`, email_confirm: true }), json),
}
const remove = (cloch, name, thing) =>
  thing.kind === 'row' ? ask(cloch, 'DELETE', `/rest/v1/notes?id=eq.${name}`) : ask(cloch, 'DELETE', `/storage/v1/object/files/${name}`)

/**
 * Writes and deletes rows and objects, one after another, until the test stops it. If a response is lost, the state of the row or object is
 * uncertain.
 */
async function write(state, worker) {
  const kind = ['row', 'plain', 's3', 'tus', 'row', 'row', 'plain', 'user'][worker % 8]
  const own = []
  for (let number = 0; !state.stopped; number += 1) {
    if (state.paused) {
      await sleep(5)
      continue
    }
    state.busy += 1
    const name = `${kind}-${state.round}-${worker}-${number}`
    try {
      if (own.length > 3 && kind !== 'user' && randomInt(3) === 0) {
        const gone = own.splice(randomInt(own.length), 1)[0]
        const thing = known.get(gone)
        thing.deleting = Date.now()
        await remove(state.cloch, gone, thing)
        thing.deleted = Date.now()
      } else {
        const bytes = randomBytes(1 + randomInt(30_000))
        const thing = { kind, digest: digest(bytes), asked: Date.now() }
        known.set(name, thing)
        await kinds[kind](state.cloch, name, bytes)
        thing.acknowledged = Date.now()
        own.push(name)
      }
    } catch {
      // The connection was lost, or the server is starting. The state of the row or object is unknown.
      await sleep(50)
    } finally {
      state.busy -= 1
    }
  }
}

const waitUntil = async (what, holds, seconds = 60) => {
  for (let attempt = 0; attempt < seconds * 20; attempt += 1) {
    if (await holds()) return
    await sleep(50)
  }
  throw new Error(`not within ${seconds} seconds: ${what()}`)
}
const status = (place) => {
  const file = join(place.data, 'backup/status.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}
/** Waits until the backup includes the writes that were made while the target was unavailable. */
const caughtUp = async (state) => {
  const moment = new Date()
  const is = () => {
    const { restorable_until: until, last_base } = status(state.cloch)
    return last_base && new Date(until ?? 0) > moment && Date.now() - new Date(until) < 1000
  }
  await waitUntil(() => `${JSON.stringify(status(state.cloch))}\n${state.cloch.output().slice(-2000)}`, is)
}
/** Kills the processes of a PostgreSQL program whose command line contains a port number. */
const killNamed = (name, port) => {
  for (const process of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const command = readFileSync(`/proc/${process}/cmdline`, 'utf8')
      if (command.includes(`bin/${name}\0`) && command.includes(`\0${port}\0`)) globalThis.process.kill(Number(process), 'SIGKILL')
    } catch {
      // The process has already ended.
    }
  }
}

const killPostgres = (place) => process.kill(Number(readFileSync(join(place.data, 'db/postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')

/** The faults. A function that makes the target unavailable also makes it available again. */
const faults = {
  none: async () => {},
  postgres: async ({ cloch }) => killPostgres(cloch),
  'base backup': async ({ cloch }) => {
    writeFileSync(join(cloch.data, 'backup/now'), '')
    await sleep(randomInt(1500))
    killNamed('pg_basebackup', cloch.databasePort)
  },
  'target away': (state) => state.target.away(1000 + randomInt(3000)),
  'target killed': (state) => state.target.kill(randomInt(2000)),
  'target full': (state) => state.target.fill(1000 + randomInt(3000)),
}

/** A folder as target. If this account may mount a disk, the folder is on a separate disk. */
function folderTarget() {
  const disk = join(tmpdir(), `cloch-test-target-${randomBytes(4).toString('hex')}`)
  mkdirSync(disk)
  // A round writes up to 40 MB.
  const isDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${300 + 50 * rounds}m`, 'none', disk]).status === 0
  const folder = join(disk, 'target')
  const filler = join(disk, 'filler')
  return {
    from: folder,
    settings: `[backup]\nto = "${folder}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n`,
    environment: {},
    faults: ['none', 'postgres', 'base backup', 'target away', ...(isDisk ? ['target full'] : [])],
    away: async (milliseconds) => {
      renameSync(folder, `${folder}-away`)
      await sleep(milliseconds)
      // Meanwhile the server may have created a new folder. Its content is discarded.
      rmSync(folder, { recursive: true, force: true })
      renameSync(`${folder}-away`, folder)
    },
    fill: async (milliseconds) => {
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k'])
      await sleep(milliseconds)
      rmSync(filler)
    },
    remove: async () => {
      if (isDisk) spawnSync('umount', ['-l', disk])
      rmSync(disk, { recursive: true, force: true })
    },
  }
}

/** A bucket of another Cloch server as target. If this server is killed, its files remain, and it starts again. */
async function bucketTarget() {
  const place = await makeProject({ from: null, files: { 'migrations/1_bucket.sql': `insert into storage.buckets (id, name) values ('backups', 'backups');` } })
  let keeper = await start(place)
  const { STORAGE_S3_URL, S3_PROTOCOL_REGION, S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET } = keeper.keys
  const access = { endpoint: STORAGE_S3_URL, region: S3_PROTOCOL_REGION, access_key_id: S3_PROTOCOL_ACCESS_KEY_ID, secret_access_key: S3_PROTOCOL_ACCESS_KEY_SECRET }
  const lines = Object.entries(access).map(([name, value]) => `${name} = "${value}"\n`)
  const variables = Object.entries(access).map(([name, value]) => [`CLOCH_BACKUP_S3_${name.toUpperCase()}`, value])
  return {
    from: 's3://backups/club',
    settings: `[backup]\nto = "s3://backups/club"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\n[backup.s3]\npath_style = true\n${lines.join('')}`,
    environment: { ...Object.fromEntries(variables), CLOCH_BACKUP_S3_PATH_STYLE: 'true' },
    faults: ['none', 'postgres', 'target killed', 'target away'],
    away: async (milliseconds) => {
      keeper.child.kill('SIGSTOP')
      await sleep(milliseconds)
      keeper.child.kill('SIGCONT')
    },
    kill: async (milliseconds) => {
      await keeper.kill()
      await sleep(milliseconds)
      keeper = await start(place)
    },
    remove: () => keeper.remove(),
  }
}

/**
 * Restores and starts a copy, and compares it with the recorded writes. `expected` returns for each row or object whether it must exist, and whether
 * it must not exist.
 */
async function compare(state, to, expected) {
  const data = join(state.place.folder, 'restored')
  const given = ['restore', '--from', state.target.from, '--data', data, ...(to ? ['--to', to] : [])]
  const { status, stdout, stderr } = spawnSync(binary, given, { env: { ...process.env, ...environment, ...state.target.environment } })
  assert.equal(status, 0, `${stdout}${stderr}`)
  assert.match(String(stdout), /missing: nothing/)
  const copy = await makeProject({ from: join(data, 'project'), change: (config) => config })
  const file = join(copy.project, 'config.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^port = \d+$/m, `port = ${copy.port}`).replace(/(\[db\]\nport = )\d+/, `$1${copy.port + 1}`))
  rmSync(join(copy.project, 'cloch.toml'))
  const cloch = await start({ ...copy, data })
  try {
    const query = `select 'row', id, encode(sha256(decode(body, 'hex')), 'hex') from notes
      union all select 'user', split_part(email, '@', 1), '' from auth.users
      union all select 'object', name, '' from storage.objects where bucket_id = 'files'`
    const rows = String(spawnSync('psql', [cloch.keys.DB_URL, '-AtF', ' ', '-c', query], { maxBuffer: 1 << 28 }).stdout)
    const found = new Map()
    for (const [kind, name, sum] of rows.split('\n').filter(Boolean).map((line) => line.split(' '))) {
      const read = async () => digest(Buffer.from(await (await fetch(`${cloch.url}/storage/v1/object/files/${name}`, { headers: { authorization: `Bearer ${cloch.serviceKey}` } })).arrayBuffer()))
      found.set(name, kind === 'object' ? await read() : sum)
    }
    for (const [name, thing] of known) {
      const [must, mustNot] = expected(thing)
      if (must) assert.ok(found.has(name), `${name} is missing: ${JSON.stringify(thing)}`)
      if (mustNot) assert.ok(!found.has(name), `${name} should not be there: ${JSON.stringify(thing)}`)
      if (found.has(name) && thing.kind !== 'user') assert.equal(found.get(name), thing.digest, `${name} has other bytes`)
    }
    for (const name of found.keys()) assert.ok(known.has(name), `${name} was never written`)
    const lost = [...known].map(([name, thing]) => (found.has(name) ? thing.deleted : thing.deleting === undefined && thing.acknowledged))
    return { count: found.size, firstLost: Math.min(...lost.filter(Boolean)) }
  } finally {
    await cloch.remove()
    rmSync(data, { recursive: true, force: true })
  }
}

async function round(state, number) {
  state.round = `${state.name}-${number}`
  Object.assign(state, { stopped: false, paused: false, busy: 0 })
  const work = Promise.all(Array.from({ length: writers }, (_, worker) => write(state, worker)))
  await sleep(500 + randomInt(1500))
  // The test records a moment while no request is running.
  state.paused = true
  await waitUntil(() => 'writers pause', () => state.busy === 0)
  await sleep(50)
  const noted = Date.now()
  await sleep(50)
  state.paused = false
  const fault = process.env.CLOCH_TEST_BACKUP_FAULT ?? pick(state.target.faults)
  await sleep(randomInt(1000))
  await faults[fault](state)
  await caughtUp(state)
  await sleep(randomInt(1500))
  await state.cloch.kill()
  const killed = Date.now()
  state.stopped = true
  await work
  const { place } = state
  // The disk of the machine is lost, but an operator may have read the last status before.
  const until = new Date(status(place).restorable_until).getTime() - 1
  const before = (moment, limit) => moment !== undefined && moment <= limit
  const latest = await compare(state, undefined, (thing) => [
    before(thing.acknowledged, until) && thing.deleting === undefined,
    before(thing.deleted, until),
  ])
  const then = await compare(state, new Date(noted).toISOString(), (thing) => [
    before(thing.acknowledged, noted) && !before(thing.deleting, noted),
    !before(thing.asked, noted) || before(thing.deleted, noted),
  ])
  const lost = Math.max(0, killed - latest.firstLost)
  assert.ok(lost <= limit, `${fault}: something is lost that was acknowledged ${lost} ms before the kill`)
  return `${fault}: ${latest.count} things, all but those of the last ${lost} ms; ${then.count} at the noted moment`
}

for (const [name, makeTarget] of Object.entries({ folder: folderTarget, bucket: bucketTarget })) {
  test(`a backup in a ${name} loses no write that it reported as safe`, async () => {
    known.clear()
    const place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
    const target = await makeTarget()
    writeFileSync(join(place.project, 'cloch.toml'), target.settings)
    const state = { name, place, target }
    try {
      for (let number = 1; number <= rounds; number += 1) {
        state.cloch = { ...(await start(place, { environment })), databasePort: /\[db\]\nport = (\d+)/.exec(readFileSync(join(place.project, 'config.toml'), 'utf8'))?.[1] }
        await caughtUp(state)
        console.log(`round ${number} to a ${name}, ${await round(state, number)}`)
      }
    } finally {
      await state.cloch?.kill()
      if (state.cloch) killPostgres(place)
      await target.remove()
      removePlace(place)
    }
  })
}
