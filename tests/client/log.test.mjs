/** The log while the program runs: traces, slow statements, a changed filter, and a start without unnecessary lines. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'

import { binary, makeProject, sleep, start } from '../support/program.mjs'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
let cloch
before(async () => {
  const migration = `create function wait(seconds float) returns void language sql as 'select pg_sleep(seconds)';
    create function drowsy(seconds float) returns boolean language sql volatile as 'select pg_sleep(seconds) is not null';
    create table diary (id int primary key, owner text, line text, bytes bytea);
    insert into diary values (424243, 'hunter2', 'swordfish');
    alter table diary enable row level security;
    create policy slow on diary using (drowsy(0.1)) with check (drowsy(0.1));
    grant select, insert, update on diary to anon;
    create table counted (id int primary key, writes int not null);
    insert into counted values (1, 0);
    create function slow_write() returns trigger language plpgsql as $$ begin new.writes = old.writes + 1; perform pg_sleep(0.1); return new; end $$;
    create trigger slow before update on counted for each row execute function slow_write();
    alter table counted enable row level security; create policy everybody on counted using (true);
    grant select, update on counted to anon;
    insert into storage.buckets (id, name) values ('pictures', 'pictures');
    select pg_sleep(1.1), 'value of a migration';`
  const files = {
    'migrations/20260101000000_wait.sql': migration,
    'seed.sql': 'select 1;',
    'objects/pictures/a.txt': 'a',
    'cloch.toml': '[server]\nslow_statement = 0.05\n[seed]\nobjects = "objects"\n',
  }
  cloch = await start(await makeProject({ from: null, seed: true, files }), { environment: { CLOCH_LOG_FORMAT: 'json' } })
})
after(() => cloch?.remove())

/** Returns the lines that are JSON objects. The table that the program prints at the start is not JSON. */
const lines = () =>
  cloch
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

async function lineThat(holds, what) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const found = lines().find(holds)
    if (found) return found
    await sleep(50)
  }
  return assert.fail(`${what} is not in\n${cloch.output()}`)
}

const log = (...given) => spawnSync(binary, ['log', ...given, '--project', cloch.project, '--data', cloch.data], { encoding: 'utf8' })
const get = (path, headers = {}) => fetch(`${cloch.url}${path}`, { headers: { apikey: cloch.anonKey, ...headers } })

test('the start prints a table, and no lines about its own uploads', async () => {
  assert.match(cloch.output(), /^ +Ready {2}cloch \d+\.\d+\.\d+, after \d+\.\d s$/m)
  await lineThat((line) => /uploaded the files in objects/.test(line.message), 'the upload')
  assert.deepEqual(lines().filter((line) => line.route?.startsWith('/storage')), [])
})

test('a request’s line contains caller, table, bucket, function and error, and no path', async () => {
  const line = (wanted) => lineThat((one) => one.message === 'http: request answered' && Object.entries(wanted).every(([name, value]) => one[name] === value), JSON.stringify(wanted))
  await get('/storage/v1/object/public/pictures/folder/eilidh.txt')
  await line({ bucket: 'pictures', method: 'GET', code: 'NoSuchBucket' })
  await get('/storage/v1/object/authenticated/pictures/eilidh.txt', { authorization: `Bearer ${cloch.serviceKey}` })
  await line({ bucket: 'pictures', role: 'service_role', code: 'NoSuchKey' })
  const wrong = { email: 'nobody@example.org', password: 'wrong password' }
  await fetch(`${cloch.url}/auth/v1/token?grant_type=password`, { method: 'POST', headers: { apikey: cloch.anonKey, 'content-type': 'application/json' }, body: JSON.stringify(wrong) })
  await line({ route: '/auth/v1/token', code: 'invalid_credentials' })
  await get('/rest/v1/diary?owner=eq.eilidh')
  await line({ route: '/rest/v1', resource: 'diary', status: 200 })
  await get('/rest/v1/rpc/wait?seconds=0')
  await line({ route: '/rest/v1', resource: 'rpc/wait' })
  await get('/v1/projects', { authorization: `Bearer ${cloch.keys.SUPABASE_ACCESS_TOKEN}` })
  await line({ role: 'access token' })
  assert.ok(!cloch.output().includes('eilidh'))
})

test('the log lines of a request contain the client’s trace id, unless it is malformed', async () => {
  await get('/rest/v1/rpc/wait?seconds=0', { traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, 'x-request-id': 'traced' })
  const line = await lineThat((one) => one.id === 'traced', 'the request')
  assert.equal(line.trace_id, TRACE)
  await get('/rest/v1/rpc/wait?seconds=0', { traceparent: `00-${TRACE}"-00f067aa0ba902b7-01`, 'x-request-id': 'forged' })
  assert.equal('trace_id' in (await lineThat((one) => one.id === 'forged', 'the request')), false)
})

test('the text of a slow migration is not logged', () => {
  assert.ok(!cloch.output().includes('value of a migration'))
})

test('a slow statement has a line with its name and the request id of the client; durations have three digits', async () => {
  const response = await get('/rest/v1/rpc/wait?seconds=0.2')
  const id = response.headers.get('x-request-id')
  const slow = await lineThat((line) => line.message === 'rest: slow statement' && line.id === id, 'the slow statement')
  assert.equal(slow.resource, 'wait')
  const { duration_ms: duration } = await lineThat((line) => line.id === id && line.message === 'http: request answered', 'the request')
  assert.ok(duration >= 200 && Number.isInteger(duration), String(duration))
})

const slowLine = (id) => lineThat((line) => line.id === id && line.message === 'rest: slow statement', `the slow statement of ${id}`)

test('a slow statement is logged with its text without values, its role and its plan, and is not run again', async () => {
  const headers = { 'x-request-id': 'slow-read', 'x-secret': 'header-value' }
  assert.equal((await get('/rest/v1/diary?owner=eq.hunter2&line=in.(swordfish,opensesame)&id=gt.424242', headers)).status, 200)
  const line = await slowLine('slow-read')
  assert.deepEqual([line.kind, line.resource, line.role, line.no_plan], ['read', 'diary', 'anon', undefined])
  assert.match(line.statement, /FROM "public"."diary" WHERE .*\$1/)
  assert.match(line.plan, /Scan on diary/)
  assert.match(line.plan, /(Filter|Cond): .*\$\d/, 'parameters stand for values')
  assert.match(line.plan, /pg_sleep|drowsy/, 'the policy of this role')
  const written = JSON.stringify(lines().filter((one) => one.id === 'slow-read'))
  for (const value of ['hunter2', 'swordfish', 'opensesame', '424242', 'header-value']) assert.ok(!written.includes(value), value)

  const body = { method: 'PATCH', body: '{"writes":77777}', headers: { apikey: cloch.anonKey, 'content-type': 'application/json', 'x-request-id': 'slow-write' } }
  assert.equal((await fetch(`${cloch.url}/rest/v1/counted?id=eq.1`, body)).status, 204)
  const write = await slowLine('slow-write')
  assert.match(write.plan, /Update on counted/)
  assert.doesNotMatch(JSON.stringify(write), /77777/)
  assert.deepEqual(await (await get('/rest/v1/counted?select=writes')).json(), [{ writes: 1 }], 'written once')
})

test('an unavailable plan delays nothing: the line contains the reason', async () => {
  const locker = spawn('psql', ['-XqAt', cloch.keys.DB_URL], { stdio: ['pipe', 'pipe', 'inherit'] })
  try {
    // psql must be connected before the slow statement begins.
    locker.stdin.write("select 'connected';\n")
    await once(locker.stdout, 'data')
    const slow = get('/rest/v1/diary?select=id', { 'x-request-id': 'locked' })
    await sleep(30)
    // psql gets the lock when the slow statement has ended, and before the server reads the statement's plan.
    const locked = once(locker.stdout, 'data')
    locker.stdin.write("begin; lock table diary in access exclusive mode; select 'locked';\n")
    assert.equal((await slow).status, 200)
    await locked
    const begun = performance.now()
    assert.equal((await get('/rest/v1/counted', { 'x-request-id': 'beside' })).status, 200)
    assert.ok(performance.now() - begun < 1000)
    const line = await slowLine('locked')
    assert.deepEqual([line.plan, line.no_plan], [undefined, 'EXPLAIN failed with SQLSTATE 55P03'])
  } finally {
    locker.stdin.end()
    await once(locker, 'exit')
  }
})

test('if there are more slow statements than can be explained, all of them have log lines', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `many-${index}`)
  await Promise.all(ids.map((id, index) => get(`/rest/v1/diary?select=a${index}:id`, { 'x-request-id': id })))
  const found = await Promise.all(ids.map(slowLine))
  for (const line of found) assert.ok(line.plan || line.no_plan === 'too many plans are queued', JSON.stringify(line))
})

test('the log filter changes while the server runs, and an invalid filter changes nothing', async () => {
  const refused = log('cloch=loud')
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /write a level/)
  assert.match(log('inof').stderr, /"inof" is no level/)
  assert.equal(log('error').status, 0)
  // With this filter, the log contains only errors, so it does not contain the change of the filter itself.
  await sleep(2500)
  await get('/rest/v1/rpc/wait?seconds=0', { 'x-request-id': 'silent' })
  assert.equal(log().stdout.trim(), 'error')
  assert.equal(log('--reset').status, 0)
  await lineThat((line) => /filter changed/.test(line.message), 'the change back')
  await get('/rest/v1/rpc/wait?seconds=0', { 'x-request-id': 'heard' })
  await lineThat((line) => line.id === 'heard', 'the request')
  assert.deepEqual(lines().filter((line) => line.id === 'silent'), [])
})
