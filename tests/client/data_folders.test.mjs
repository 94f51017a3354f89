/**
 * Upgrades of Cloch: the program starts with the data folder of each release (tests/upgrades). Afterwards the database has the same objects as a new
 * one. Users, rows, files, sessions, keys and the data of stand-ins (SQL in place of missing extensions) are unchanged.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

import { unprivileged } from '../support/account.mjs'
import { bytes, client, fileName, password } from '../support/moving_project.mjs'
import { binary, freePort, makeProject, start } from '../support/program.mjs'
import { totp } from '../support/totp.mjs'

const folder = join(import.meta.dirname, '../upgrades')
const archives = readdirSync(folder).filter((name) => name.endsWith('.tar.xz'))
const facts = readFileSync(join(import.meta.dirname, '../../sql/attach/catalog.sql'), 'utf8').replace(", 'cloch')", ')')

const sql = (cloch, statement) => execFileSync('psql', ['-X', '-At', '-v', 'ON_ERROR_STOP=1', cloch.keys.DB_URL], { encoding: 'utf8', input: statement }).trim()
/** All objects of the database with their definitions and privileges, one per line. */
const catalog = (cloch) => new Set(sql(cloch, facts).split('\n'))
const major = () => execFileSync('sh', ['-c', 'pg_config --version'], { encoding: 'utf8' }).match(/\d+/)?.[0]

/** Creates a project with the data folder of a release, on free ports. */
async function unpacked(name) {
  const place = mkdtempSync(join(tmpdir(), 'cloch-test-'))
  chmodSync(place, 0o755)
  execFileSync('tar', ['-C', place, '-xJf', join(folder, name)])
  // If root runs the test, the account of the database owns the database's files.
  if (unprivileged.uid !== undefined) execFileSync('chown', ['-R', `${unprivileged.uid}:${unprivileged.gid}`, join(place, 'data/db')])
  const project = join(place, 'supabase-config')
  const [port, databasePort] = [await freePort(), await freePort()]
  const file = join(project, 'config.toml')
  const config = readFileSync(file, 'utf8').replace(/(\[api\]\s+port = )\d+/, `$1${port}`).replace(/(\[db\]\s+port = )\d+/, `$1${databasePort}`)
  writeFileSync(file, config)
  const what = JSON.parse(readFileSync(join(place, 'what.json'), 'utf8'))
  return { what, migration: readFileSync(join(project, 'migrations/20260101000000_all.sql'), 'utf8'), place: { folder: place, project, data: join(place, 'data'), port, url: `http://127.0.0.1:${port}` } }
}

/** Checks that a member can still use a factor that was enrolled earlier: the server accepts the codes of the member's app. */
async function takesCodes(cloch, what) {
  const member = client(cloch, what.publishable_key)
  await member.auth.signInWithPassword({ email: what.members[0].email, password })
  const { data: factors } = await member.auth.mfa.listFactors()
  assert.equal(factors.all.length, 1)
  const factorId = factors.all[0].id
  const { data: challenge } = await member.auth.mfa.challenge({ factorId })
  const verified = await member.auth.mfa.verify({ factorId, challengeId: challenge.id, code: totp(what.totp_secret) })
  assert.equal(verified.error, null)
}

/** Checks that the server serves all data of the folder. */
async function servesAll(cloch, what) {
  const member = client(cloch, what.publishable_key)
  for (const { email } of what.members) {
    const { error } = await member.auth.signInWithPassword({ email, password })
    assert.equal(error, null, email)
  }
  const { error: refused } = await member.auth.signInWithPassword({ email: what.members[0].email, password: 'another' })
  assert.equal(refused?.code, 'invalid_credentials')
  await member.auth.signInWithPassword({ email: what.members[0].email, password })
  const { count } = await member.from('notes').select('*', { count: 'exact', head: true })
  assert.equal(count, what.rows)

  const admin = client(cloch)
  for (let number = 0; number < what.files; number += 1) {
    const { data, error } = await admin.storage.from('files').download(fileName(what.members[number % what.users].id, number))
    assert.equal(error, null)
    assert.ok(Buffer.from(await data.arrayBuffer()).equals(bytes(number)), `file ${number}`)
  }
  assert.equal(await (await fetch(`${cloch.url}/storage/v1/object/public/open/shown.txt`)).text(), 'shown')
  assert.equal(sql(cloch, `select decrypted_secret from vault.decrypted_secrets where name = 'door'`), 'open sesame')
  assert.equal(sql(cloch, 'select jobname, schedule from cron.job'), 'nightly|0 3 * * *')
  assert.equal(sql(cloch, 'select message from pgmq.q_jobs'), '{"n": 1}')
  assert.equal(sql(cloch, `select at, at operator(extensions.<->) '[1,2,5]' from public.places`), '[1,2,3]|2')
}

for (const name of archives) {
  const version = name.replace('.tar.xz', '')
  test(`a data folder of ${version} works`, async (t) => {
    const { what, migration, place } = await unpacked(name)
    if (what.postgres !== major()) return t.skip(`the folder is of PostgreSQL ${what.postgres}, which is not installed`)
    const running = new Set()
    // Two servers have used each folder, one after the other. They are removed in reverse order.
    t.after(async () => {
      for (const cloch of [...running].reverse()) await cloch.remove()
    })
    const begin = async (where) => {
      const cloch = await start(where)
      running.add(cloch)
      return cloch
    }
    let cloch = await begin(place)
    // Compares with a new database after its second start, because each start grants the server's role what migrations have added.
    const first = await begin(await makeProject({ from: null, fresh: true, files: { 'migrations/20260101000000_all.sql': migration } }))
    await first.stop()
    const fresh = await begin(first)
    const [upgraded, made] = [catalog(cloch), catalog(fresh)]
    assert.ok(made.size > 1500, 'the catalog was read')
    assert.deepEqual([...made].filter((fact) => !upgraded.has(fact)), [], 'missing after the upgrade')
    assert.deepEqual([...upgraded].filter((fact) => !made.has(fact)), [], 'only in the old database')

    const member = client(cloch, what.publishable_key)
    const { data, error } = await member.auth.refreshSession({ refresh_token: what.refresh_token })
    assert.equal(error, null, 'a session goes on')
    assert.equal(data.user.email, what.members[0].email)
    await servesAll(cloch, what)
    await takesCodes(cloch, what)

    await cloch.stop()
    cloch = await begin(place)
    await servesAll(cloch, what)
    const written = await client(cloch).storage.from('files').upload('new.txt', 'new')
    assert.equal(written.error, null)
  })
}

test('at least one data folder of a release is tested', () => assert.ok(archives.length > 0 && binary))
