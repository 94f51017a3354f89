/**
 * Backups of the embedded database. Measures how far the backup is behind while 32 writers write; how much shipping the log and a base backup
 * slow down requests, compared alternately with the same program without `[backup]`; and the time of a base backup and of a restore, with the
 * stored bytes. If pgBackRest is installed, measures it too, on the same database while it is stopped. pgBackRest does not back up files.
 *
 * Run it against a release build: CLOCH_TEST_PROGRAM=target/release/cloch node bench/backup.mjs
 *   [--rows 1024] [--files 1024]   MB of each   [--rounds 5] [--seconds 5]   of a turn   [--behind 30]   seconds of writers
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { binary, makeProject, sleep, start } from '../tests/support/program.mjs'
import { record } from './record.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const [rowsMb, filesMb, rounds, seconds, behind] = [option('rows', 1024), option('files', 1024), option('rounds', 5), option('seconds', 5), option('behind', 30)]
const GOALS = { behindMs: 1000, shipping: 0.97, base: 0.9, restoreSeconds: 60 }
const environment = { CLOCH_LOG: 'warn', CLOCH_BACKUP_PASSPHRASE: 'a passphrase that is long enough' }
const folder = mkdtempSync(join(tmpdir(), 'cloch-bench-backup-'))
// If root runs the benchmark, the restored database belongs to a separate account. This account must be able to enter the folder.
chmodSync(folder, 0o711)
const migration = `
create table public.notes (id uuid primary key default gen_random_uuid(), body text not null);
insert into storage.buckets (id, name, public) values ('files', 'files', false);
`
const json = { 'content-type': 'application/json' }

async function startCloch(target) {
  const place = await makeProject({ from: null, files: { 'migrations/1_notes.sql': migration } })
  const settings = `[backup]\nto = "${target}"\nencrypt_to = "env(CLOCH_BACKUP_PASSPHRASE)"\ndrill = "off"\n`
  if (target) writeFileSync(join(place.project, 'cloch.toml'), settings)
  return start(place, { environment })
}
const status = (cloch) => {
  try {
    return JSON.parse(readFileSync(join(cloch.data, 'backup/status.json'), 'utf8'))
  } catch {
    return {}
  }
}
async function until(holds) {
  while (!(await holds())) await sleep(50)
}
/** Waits until a base backup that begins now is complete. Returns the duration in seconds. */
async function baseBackup(cloch) {
  await until(() => status(cloch).last_base)
  const [began, before] = [performance.now(), status(cloch).last_base]
  writeFileSync(join(cloch.data, 'backup/now'), '')
  await until(() => status(cloch).last_base !== before)
  return (performance.now() - began) / 1000
}

const ask = async (cloch, method, path, body, headers) => {
  const answer = await fetch(cloch.url + path, { method, body, headers: { authorization: `Bearer ${cloch.serviceKey}`, ...headers } })
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`)
}
const insert = (cloch) => ask(cloch, 'POST', '/rest/v1/notes', JSON.stringify({ body: randomBytes(500).toString('hex') }), json)
const list = (cloch) => ask(cloch, 'GET', '/rest/v1/notes?select=id,body&limit=20')
let files = 0
const upload = (cloch, bytes) => ask(cloch, 'POST', `/storage/v1/object/files/${(files += 1)}.bin`, bytes)

/** Runs `clients` loops of work for some seconds. Returns the requests per second. */
async function load(clients, forSeconds, work) {
  const end = performance.now() + forSeconds * 1000
  let done = 0
  const client = async (_, number) => {
    for (; performance.now() < end; done += 1) await work(number)
  }
  await Promise.all(Array.from({ length: clients }, client))
  return done / forSeconds
}
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const quantile = (values, share) => values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]
const verdict = (holds) => (holds ? '' : '  (short of the goal)')

/**
 * Measures how far the backup is behind: the milliseconds between now and the last moment that can be restored. Reads this moment every 50 ms while
 * 32 writers write rows and files.
 */
async function measureBehind(cloch) {
  await until(() => status(cloch).last_base)
  const seen = []
  let over = false
  const watch = (async () => {
    for (; !over; await sleep(50)) {
      const { restorable_until } = status(cloch)
      if (restorable_until) seen.push(Date.now() - new Date(restorable_until))
    }
  })()
  const noise = randomBytes(30_000)
  const rate = await load(32, behind, (number) => (number % 2 ? insert(cloch) : upload(cloch, noise.subarray(0, 1000 + 900 * number))))
  over = true
  await watch
  const [half, most, worst] = [0.5, 0.99, 1].map((share) => Math.round(quantile(seen, share)))
  record({ group: 'Backup', name: 'age of the newest moment that can be restored, 32 writers, 99 %', unit: 'ms', less: true, value: most, ms: { p50: half, p99: most } })
  console.log(`behind under 32 writers, ${rate.toFixed(0)} writes a second: median ${half} ms, 99 % ${most} ms, most ${worst} ms${verdict(worst <= GOALS.behindMs)}`)
}

/** Measures requests of a usual mix with and without backup, alternately. Then measures them while base backups run. */
async function measureCost(cloch, plain) {
  const mix = (server) => load(16, seconds, (number) => (number % 4 ? list(server) : insert(server)))
  await mix(plain)
  await mix(cloch)
  const [shipping, base] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const alone = await mix(plain)
    shipping.push((await mix(cloch)) / alone)
    writeFileSync(join(cloch.data, 'backup/now'), '')
    base.push((await mix(cloch)) / alone)
    await until(() => !status(cloch).base_running)
  }
  record({ group: 'Backup', name: 'requests while the backup ships, share of those without backup', unit: 'times', value: median(shipping) })
  record({ group: 'Backup', name: 'requests beside a base backup, share of those without backup', unit: 'times', value: median(base) })
  console.log(`requests a second while it ships, of those without backup: ${median(shipping).toFixed(3)}${verdict(median(shipping) >= GOALS.shipping)}`)
  console.log(`and beside a base backup: ${median(base).toFixed(3)}${verdict(median(base) >= GOALS.base)}`)
}

const megabytes = (path) => readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6
const timed = (program, args, options) => {
  const began = performance.now()
  const { status, stdout, stderr } = spawnSync(program, args, { maxBuffer: 1 << 28, ...options })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`)
  return (performance.now() - began) / 1000
}

async function fill(cloch) {
  const rows = `insert into notes (body) select string_agg(md5(random()::text), '') from generate_series(1, ${rowsMb * 1000}) i, generate_series(1, 32) j group by i`
  timed('psql', [cloch.keys.DB_URL, '-qc', rows])
  // Meanwhile the server has closed idle connections. This process is notified of that during the pause.
  await sleep(100)
  const noise = randomBytes(4 << 20)
  for (let number = 0; number < filesMb / 4; number += 1) {
    noise.writeUInt32LE(number)
    await upload(cloch, noise)
  }
  const moment = new Date()
  await until(() => new Date(status(cloch).restorable_until ?? 0) > moment)
}

async function measureRestore(cloch, target) {
  await fill(cloch)
  const base = await baseBackup(cloch)
  record({ group: 'Backup', name: `base backup of ${rowsMb} MB of rows`, unit: 's', less: true, value: base })
  console.log(`base backup of ${rowsMb} MB of rows: ${base.toFixed(1)} s; the target holds ${megabytes(target).toFixed(0)} MB with ${filesMb} MB of files`)
  await cloch.stop()
  const data = join(folder, 'restored')
  const restore = timed(binary, ['restore', '--from', target, '--data', data], { env: { ...process.env, ...environment } })
  record({ group: 'Backup', name: `restore of ${rowsMb} MB of rows and ${filesMb} MB of files`, unit: 's', less: true, value: restore })
  console.log(`restore of both: ${restore.toFixed(1)} s${verdict(restore <= GOALS.restoreSeconds)}`)
}

/** Runs pgBackRest on the stopped cluster: the rows without the files, and without PostgreSQL's log. */
function measurePgBackRest(cloch) {
  if (spawnSync('pgbackrest', ['version']).status !== 0) return console.log('pgBackRest is not measured: apt-get install pgbackrest')
  const [db, repository, restored] = [realpathSync(join(cloch.data, 'db')), join(folder, 'pgbackrest'), join(folder, 'pgbackrest-restored')]
  const common = ['--stanza=bench', `--repo1-path=${repository}`, `--log-path=${folder}`, `--lock-path=${folder}`, '--log-level-console=warn']
  const at = (path) => [...common, `--pg1-path=${path}`]
  timed('pgbackrest', [...at(db), '--no-online', 'stanza-create'])
  const backup = timed('pgbackrest', [...at(db), '--no-online', '--type=full', 'backup'])
  timed('mkdir', ['-m', '700', restored])
  const restore = timed('pgbackrest', [...at(restored), '--type=none', 'restore'])
  console.log(`pgBackRest, rows alone: backup ${backup.toFixed(1)} s, restore ${restore.toFixed(1)} s, ${megabytes(repository).toFixed(0)} MB`)
}

const target = join(folder, 'target')
const cloch = await startCloch(target)
const plain = await startCloch()
try {
  await measureBehind(cloch)
  await measureCost(cloch, plain)
  await plain.stop()
  await measureRestore(cloch, target)
  measurePgBackRest(cloch)
} finally {
  const restored = join(folder, 'restored/db')
  if (existsSync(restored) && realpathSync(restored).startsWith('/var/lib/cloch/')) rmSync(join(realpathSync(restored), '..'), { recursive: true, force: true })
  await Promise.all([cloch.remove(), plain.remove()])
  rmSync(folder, { recursive: true, force: true })
}
