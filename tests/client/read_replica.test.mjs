/**
 * `[database] read_url`: which server handles a read, that clients always see their own writes, and that the loss of the standby causes no errors.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { throughPooler } from '../support/pooler.mjs'
import { binary, healthy, makeProject, sleep, start } from '../support/program.mjs'
import { startPair } from '../support/postgres_pair.mjs'
import { signToken } from '../support/tokens.mjs'
import { until } from '../support/until.mjs'

const MIGRATION = `
create table public.notes (id int primary key, owner uuid default auth.uid());
create view public.notes_seen as select id, pg_is_in_recovery() as by_replica from public.notes;
create function public.by_replica() returns boolean language sql stable as 'select pg_is_in_recovery()';
create function public.by_replica_volatile() returns boolean language sql volatile as 'select pg_is_in_recovery()';
create function public.by_replica_isolated() returns boolean language sql stable set default_transaction_isolation = 'repeatable read'
  as 'select pg_is_in_recovery()';
create function public.not_on_standby() returns boolean language plpgsql stable as $$
begin
  if pg_is_in_recovery() then raise exception 'not here'; end if;
  return pg_is_in_recovery();
end $$;
create function public.hold(seconds float8) returns boolean language plpgsql stable as $$
begin
  perform count(*) from public.notes;
  perform pg_sleep(seconds);
  return pg_is_in_recovery();
end $$;
grant all on public.notes, public.notes_seen to anon, authenticated, service_role;
insert into storage.buckets (id, name) values ('files', 'files');
`
const TOML = (lag) => `[database]\nread_url = "env(CLOCH_READ_URL)"\nread_max_lag = ${lag}\n`
const HUGE = 'FFFFFFFF/FFFFFFFF'

let pair, pooler, environment
/** Nodes of one project. Two nodes accept a standby that is one minute behind, one node accepts one second, and one node has no replica. */
let node, other, strict, plain
before(async () => {
  pair = await startPair({ synchronous: false, ofStandby: ['max_standby_streaming_delay = 200ms'] })
  pair.first.sql(`alter role supabase_admin set pgrst.db_tx_end = 'commit-allow-override'`)
  const url = (server) => `postgres://supabase_admin@127.0.0.1:${server.port}/postgres?sslmode=disable`
  // The test names two hosts. The server must find out which of them is the standby.
  const both = [pair.first, pair.second].map(({ port }) => `127.0.0.1:${port}`).join(',')
  pooler = await throughPooler(url(pair.first))
  environment = { ...pooler.environment, CLOCH_DB_URL: url(pair.first), CLOCH_READ_URL: `postgres://supabase_admin@${both}/postgres?sslmode=disable` }
  const files = { 'migrations/1_notes.sql': MIGRATION }
  const places = []
  for (const lag of [60, 60, 1, undefined]) {
    places.push(await makeProject({ from: null, files: lag ? { ...files, 'cloch.toml': TOML(lag) } : files }))
  }
  node = await start(places[0], { environment })
  for (const place of places.slice(1)) {
    mkdirSync(place.data, { recursive: true })
    copyFileSync(join(places[0].data, 'secrets.toml'), join(place.data, 'secrets.toml'))
  }
  ;[other, strict, plain] = await Promise.all(places.slice(1).map((place) => start(place, { environment })))
  for (const each of [node, other, strict]) await until(() => byReplica(bob, each), 'the replica is used')
  // The keys of a new project were issued just now. Waits until the replica may handle requests with them.
  for (const who of [visitor, service]) await until(() => byReplica(who), 'their key is not new')
})
after(async () => {
  for (const each of [plain, strict, other, node]) await each?.remove()
  pooler?.stop()
  pair?.remove()
})

/** Returns an access token of a user. The user's session began some time ago. */
function token(sub, issued = 60) {
  const now = Math.floor(Date.now() / 1000)
  return signToken(node.keys.JWT_SECRET, { role: 'authenticated', aud: 'authenticated', sub, iat: now - issued, exp: now + 3600 })
}

const [annId, bobId] = [randomUUID(), randomUUID()]
const ann = () => token(annId)
const bob = () => token(bobId)
const visitor = () => node.anonKey
const service = () => node.serviceKey

async function ask(who, method, path, { at = node, headers = {}, body } = {}) {
  const response = await fetch(at.url + path, {
    method,
    headers: { apikey: node.anonKey, authorization: `Bearer ${who()}`, 'content-type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, text, headers: response.headers, json: text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined }
}

/** Returns whether the replica has handled the caller's read. */
async function byReplica(who, at = node, headers = {}, path = '/rest/v1/rpc/by_replica') {
  const { status, json, text } = await ask(who, 'GET', path, { at, headers })
  assert.equal(status, 200, text)
  return json
}

/** Writes a note. Returns the position of PostgreSQL's log after the write. */
async function write(who, id, at = node) {
  const { status, text, headers } = await ask(who, 'POST', '/rest/v1/notes', { at, body: { id } })
  assert.equal(status, 201, text)
  return headers.get('cloch-lsn')
}

/** Runs `then` while the standby receives PostgreSQL's log but does not replay it. */
async function paused(then) {
  pair.second.sql('select pg_wal_replay_pause()')
  await until(() => pair.second.sql('select pg_get_wal_replay_pause_state()') === 'paused', 'paused')
  try {
    await then()
  } finally {
    pair.second.sql('select pg_wal_replay_resume()')
  }
}

const metric = async (name, at = node) => {
  const text = await (await fetch(`${at.url}/metrics`, { headers: { authorization: `Bearer ${at.serviceKey}` } })).text()
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}
const fallbacks = async (reason) => (await metric(`cloch_replica_fallbacks_total{reason="${reason}"}`)) ?? 0

test('reads go to the replica, and all other requests to the primary', async () => {
  await write(service, 1)
  await until(async () => (await ask(bob, 'GET', '/rest/v1/notes?id=eq.1')).json.length === 1, 'replayed')
  for (const who of [ann, bob, visitor]) {
    assert.equal(await byReplica(who), true)
    assert.deepEqual((await ask(who, 'GET', '/rest/v1/notes_seen?id=eq.1')).json, [{ id: 1, by_replica: true }])
  }
  const before_ = await metric('cloch_replica_reads_total')
  assert.equal((await ask(ann, 'HEAD', '/rest/v1/notes', { headers: { prefer: 'count=exact' } })).headers.get('content-range'), '0-0/1')
  assert.equal((await ask(ann, 'GET', '/rest/v1/notes', { headers: { prefer: 'count=estimated' } })).headers.get('content-range'), '0-0/1')
  assert.equal(await metric('cloch_replica_reads_total'), before_ + 2)
  assert.equal((await ask(bob, 'POST', '/rest/v1/rpc/by_replica')).json, false)
  assert.equal(await byReplica(bob, node, {}, '/rest/v1/rpc/by_replica_volatile'), false, 'a volatile function')
  assert.equal(await byReplica(bob, node, {}, '/rest/v1/rpc/by_replica_isolated'), false, 'a snapshot for the whole transaction')
  assert.equal(await byReplica(bob, node, { prefer: 'tx=rollback' }), false)
  assert.equal(await byReplica(bob), true, 'a function that cannot write has written nothing')
  assert.equal(await byReplica(bob, plain), false)
  assert.equal(await metric('cloch_replica_up', plain), undefined)
  assert.equal(await metric('cloch_replica_up'), 1)
  assert.equal(await write(ann, 2, plain), null)
})

test('callers see their own writes, and other callers read from the replica', async () => {
  await paused(async () => {
    const lsn = await write(ann, 10)
    assert.match(lsn, /^[0-9A-F]+\/[0-9A-F]+$/)
    for (let time = 0; time < 10; time += 1) {
      assert.deepEqual((await ask(ann, 'GET', '/rest/v1/notes_seen?id=eq.10')).json, [{ id: 10, by_replica: false }])
      for (const who of [bob, visitor]) {
        assert.deepEqual((await ask(who, 'GET', '/rest/v1/notes_seen?id=eq.10')).json, [], 'it was replayed')
        assert.equal(await byReplica(who), true)
      }
      await sleep(30)
    }
    for (const [method, path, body] of [
      ['PATCH', '/rest/v1/notes?id=eq.10', { owner: bobId }],
      ['PUT', '/rest/v1/notes?id=eq.10', { id: 10, owner: bobId }],
      ['DELETE', '/rest/v1/notes?id=eq.10'],
      ['POST', '/rest/v1/rpc/by_replica_volatile', {}],
    ]) {
      const one = token(randomUUID())
      assert.equal(await byReplica(() => one), true)
      const { status, headers, text } = await ask(() => one, method, path, { body })
      assert.ok(status < 300, `${method} ${status} ${text}`)
      assert.match(headers.get('cloch-lsn'), /\//, method)
      assert.equal(await byReplica(() => one), false, method)
    }
    // The response to a failed write contains no log position, and the failed write does not affect later requests on the same connection.
    const failed = await ask(ann, 'POST', '/rest/v1/notes', { body: { id: 1 } })
    assert.equal(failed.status, 409)
    assert.equal(failed.headers.get('cloch-lsn'), null)
    assert.equal((await ask(ann, 'GET', '/rest/v1/notes?id=eq.10')).text, '[]')
  })
  await until(() => byReplica(ann), 'the replica has caught up')
})

test('a client takes the position of its write to another node', async () => {
  await paused(async () => {
    const lsn = await write(ann, 20)
    assert.equal(await byReplica(ann, other), true, 'that node knows of no write')
    assert.deepEqual((await ask(ann, 'GET', '/rest/v1/notes_seen?id=eq.20', { at: other, headers: { 'cloch-lsn': lsn } })).json, [{ id: 20, by_replica: false }])
    const preflight = await fetch(`${other.url}/rest/v1/notes`, { method: 'OPTIONS', headers: { origin: 'https://a.example', 'access-control-request-method': 'GET', 'access-control-request-headers': 'cloch-lsn' } })
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'cloch-lsn')
    const answer = await ask(ann, 'GET', '/rest/v1/notes', { at: other, headers: { origin: 'https://a.example' } })
    assert.match(answer.headers.get('access-control-expose-headers'), /\bCloch-Lsn\b/)
  })
  await until(() => byReplica(ann), 'the replica has caught up')
  const lsn = await write(ann, 21)
  await until(() => byReplica(ann, other, { 'cloch-lsn': lsn }), 'replayed')
  assert.equal((await ask(ann, 'GET', '/rest/v1/notes?id=eq.21', { at: other, headers: { 'cloch-lsn': lsn } })).json.length, 1)
})

test('callers without a user share one write time, unless their requests contain a position', async () => {
  await paused(async () => {
    const lsn = await write(service, 30)
    assert.equal(await byReplica(service), false)
    assert.equal(await byReplica(service, node, { 'cloch-lsn': '0/0' }), true)
    assert.equal(await byReplica(service, node, { 'cloch-lsn': lsn }), false)
    await write(ann, 31)
    assert.equal(await byReplica(ann, node, { 'cloch-lsn': '0/0' }), false, 'a user has a memory of their own')
  })
})

test('a forged position sends only its own client to the primary', async () => {
  await until(() => byReplica(ann), 'the replica has caught up')
  for (const garbage of ['', 'x', '0/0/0', '-1/0', '123456789/0', "0/0'; drop table notes --", 'f'.repeat(2000)]) {
    assert.equal(await byReplica(bob, node, { 'cloch-lsn': garbage }), true, garbage)
  }
  for (let time = 0; time < 20; time += 1) {
    assert.equal(await byReplica(bob, node, { 'cloch-lsn': HUGE }), false)
    assert.equal(await byReplica(ann), true)
  }
  assert.equal(await byReplica(bob), true)
})

test('callers who have just signed in or used another API read from the primary', async () => {
  const fresh = token(randomUUID(), 0)
  assert.equal(await byReplica(() => fresh), false)
  await until(() => byReplica(ann), 'the replica has caught up')
  await until(() => byReplica(bob), 'for the other one too')
  await paused(async () => {
    // Without this log entry, the replica would be up to date and could handle all reads.
    pair.first.sql(`select pg_logical_emit_message(true, 'test', 'not replayed')`)
    assert.equal(await byReplica(ann), true)
    await ask(ann, 'POST', '/storage/v1/object/list/files', { body: { prefix: '' } })
    assert.equal(await byReplica(ann), false)
    assert.equal(await byReplica(bob), true)
    await ask(bob, 'GET', '/functions/v1/none')
    assert.equal(await byReplica(bob), false, 'a function may write whatever the method is')
  })
})

test('requests that the replica cannot execute are executed by the primary', async () => {
  await until(() => byReplica(bob), 'the replica has caught up')
  const before_ = await fallbacks('refused')
  assert.equal(await byReplica(bob, node, {}, '/rest/v1/rpc/not_on_standby'), false)
  assert.equal(await fallbacks('refused'), before_ + 1)
  // If the request itself is wrong, the primary sends the error.
  assert.equal((await ask(bob, 'GET', '/rest/v1/notes?id=eq.x')).json.code, '22P02')
  await paused(async () => {
    pair.first.sql(`create table public.later (id int); grant select on public.later to authenticated; notify pgrst, 'reload schema'`)
    await until(async () => (await ask(bob, 'GET', '/rest/v1/later')).json.code !== 'PGRST205', 'the table is known')
    assert.deepEqual((await ask(bob, 'GET', '/rest/v1/later')).json, [])
  })
})

test('a read that is cancelled by the replay of the WAL is run again', async () => {
  await until(() => byReplica(bob), 'the replica has caught up')
  const before_ = await fallbacks('conflict')
  const reading = byReplica(bob, node, {}, '/rest/v1/rpc/hold?seconds=3')
  await until(() => pair.second.sql(`select count(*) from pg_stat_activity where state = 'active' and query like '%hold%' and pid <> pg_backend_pid()`) === '1', 'it runs on the standby')
  pair.first.sql('alter table public.notes alter column owner drop not null')
  assert.equal(await reading, false, 'the standby has answered')
  assert.equal(await fallbacks('conflict'), before_ + 1)
})

test('a replica that is too far behind is not used', async () => {
  await until(() => byReplica(bob, strict), 'the replica has caught up')
  await paused(async () => {
    await write(ann, 40)
    await until(async () => !(await byReplica(bob, strict)), 'too old')
    // Requests check the delay of the replica themselves. The metric is updated ten times per second.
    await until(async () => (await metric('cloch_replica_up', strict)) === 0, 'it is not used')
    assert.equal(await byReplica(bob), true, 'the other node tolerates it')
  })
  await until(() => byReplica(bob, strict), 'the replica has caught up')
  assert.match(strict.output(), /replica lag too large/)
})

const doctor = () => {
  const { stdout } = spawnSync(binary, ['doctor', '--json', '--project', node.project, '--data', node.data], { encoding: 'utf8', env: { ...process.env, ...environment } })
  return JSON.parse(stdout).find(({ subject }) => subject === 'replica')
}

test('doctor and status report the replica', async () => {
  const found = doctor()
  assert.equal(found.level, 'ok', JSON.stringify(found))
  assert.match(found.seen, /has replayed what the primary had written, after \d+ ms/)
  const { stdout } = spawnSync(binary, ['status', '--url', node.url], { encoding: 'utf8', env: { ...process.env, CLOCH_SERVICE_ROLE_KEY: node.serviceKey } })
  assert.match(stdout, /Replica {2}\d+\.\d s behind/)
})

/** Sends reads continuously until `then` has ended. Every read must succeed. */
async function underReads(then) {
  let [goesOn, count] = [true, 0]
  const reader = async (who) => {
    while (goesOn) {
      const { status, text } = await ask(who, 'GET', '/rest/v1/notes_seen?limit=5')
      assert.equal(status, 200, text)
      count += 1
    }
  }
  const readers = [ann, bob, visitor, service].map(reader)
  try {
    await then()
  } finally {
    goesOn = false
    await Promise.all(readers)
  }
  return count
}

for (const [how, lose, fix] of [
  ['killed', () => pair.second.kill(), () => pair.second.start()],
  ['frozen', () => pair.second.signal('SIGSTOP'), () => pair.second.signal('SIGCONT')],
]) {
  test(`a replica that is ${how} during reads fails none of them, and is used again`, async () => {
    await until(() => byReplica(bob), 'the replica is used')
    const lost = () => node.output().split('\n').filter((line) => line.includes('replica unavailable')).length
    const before_ = lost()
    const count = await underReads(async () => {
      await sleep(300)
      lose()
      await until(async () => (await metric('cloch_replica_up')) === 0, 'its loss is noticed')
      assert.equal(await byReplica(bob), false)
      assert.ok(await healthy(node.url), '/health')
      await sleep(2000)
      if (how === 'killed') assert.equal(doctor().level, 'problem')
      fix()
      await until(() => byReplica(bob), 'it is used again')
    })
    assert.ok(count > 100, `${count} reads`)
    const said = lost() - before_
    assert.ok(said >= 1 && said <= 4, `${said} lines:\n${node.output()}`)
  })
}

test('a standby that is promoted is not used for one more read', async () => {
  await until(() => byReplica(bob), 'the replica is used')
  await underReads(async () => {
    pair.second.promote()
    assert.equal(pair.second.sql('select pg_is_in_recovery()'), 'f')
    pair.second.sql('insert into notes values (999)')
    for (let time = 0; time < 50; time += 1) {
      assert.deepEqual((await ask(bob, 'GET', '/rest/v1/notes?id=eq.999')).json, [], 'the promoted server has answered')
    }
  })
  await until(() => /no host is a standby|it is no standby/.test(node.output()), 'the log says it')
  assert.equal(doctor().level, 'problem')
  assert.ok(await healthy(node.url))
  await write(ann, 50)
  assert.equal((await ask(ann, 'GET', '/rest/v1/notes?id=eq.50')).json.length, 1)
})
