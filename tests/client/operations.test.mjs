/** Situations of an operator: health, log files, signals, ports, modes of files, and a data folder in which a part is missing. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { messageTo } from '../support/inbox.mjs'
import { binary, freePort, healthy, makeProject, sleep, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const running = new Set()
after(async () => {
  for (const cloch of running) await cloch.remove()
})

const begin = async (place, options) => {
  const cloch = await start(place, options)
  running.add(cloch)
  return cloch
}
const of = (place) => ['--project', place.project, '--data', place.data]
const run = (place, ...given) => spawnSync(binary, [...given, ...of(place)], { encoding: 'utf8', timeout: 60_000 })
const mode = (path) => statSync(path).mode & 0o777
const pid = (place) => Number(readFileSync(join(place.data, 'db/postmaster.pid'), 'utf8').split('\n')[0])
/** Returns the ids of the database's processes. */
const postgres = (place) => {
  const postmaster = pid(place)
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').map(Number)
  return [postmaster, ...children]
}
/** Resumes a stopped process if it still exists. */
const proceed = (number) => isAlive(number) && process.kill(number, 'SIGCONT')
const health = (cloch, path = '/health', key) => fetch(`${cloch.url}${path}`, { headers: key ? { apikey: key } : {} })
const isAlive = (number) => existsSync(`/proc/${number}/cmdline`)

/** Returns the output of all starts of a project. */
const outputs = (place) =>
  readdirSync(place.folder)
    .filter((name) => name.startsWith('output-'))
    .map((name) => readFileSync(join(place.folder, name, 'log'), 'utf8'))
    .join('')

/** Expects that a start is refused. Returns the message. */
function refused(place, ...given) {
  const { status, stderr } = run(place, 'start', ...given)
  assert.equal(status, 1, stderr)
  return stderr
}

test('health: readiness is 503 without a database, only the operator sees the reason, and liveness does not change', async () => {
  const place = await makeProject({ from: null })
  const cloch = await begin(place)
  assert.deepEqual(await (await health(cloch)).json(), { status: 'ok' })
  // A stopped PostgreSQL server does not respond and does not close its connections.
  const everyone = postgres(place)
  everyone.forEach((process_) => process.kill(process_, 'SIGSTOP'))
  try {
    await until(async () => (await health(cloch)).status === 503, 'ready without a database')
    const answer = await health(cloch)
    assert.equal(answer.headers.get('retry-after'), '1')
    assert.deepEqual(await answer.json(), { status: 'unavailable' })
    assert.deepEqual(await (await health(cloch, '/health', cloch.anonKey)).json(), { status: 'unavailable' })
    for (const key of [cloch.serviceKey, cloch.keys.SECRET_KEY]) {
      const body = await (await health(cloch, '/health', key)).json()
      assert.equal(body.reason, 'database')
      assert.ok(body.message.length > 0)
    }
    assert.equal((await health(cloch, '/health/live')).status, 200)
  } finally {
    everyone.forEach(proceed)
  }
  await until(() => healthy(cloch.url), 'not ready with a database')
  await cloch.stop()
})

test('the database’s log is kept across starts, and listening for changes does not fill it', async () => {
  const place = await makeProject({
    from: null,
    files: { 'migrations/1_notes.sql': 'create table public.notes (id int primary key); alter publication supabase_realtime add table public.notes' },
  })
  let cloch = await begin(place)
  const log = () => readFileSync(join(place.data, 'db/server.log'), 'utf8')
  const service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } })
  let status
  const told = []
  service.channel('changes').on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, (change) => told.push(change.new.id))
    .on('system', {}, (message) => (status = message.status))
    .subscribe()
  await until(() => status === 'ok', 'no subscription')
  for (let id = 1; id <= 3; id += 1) {
    assert.equal((await service.from('notes').insert({ id })).error, null)
    await until(() => told.includes(id), 'no change')
  }
  assert.doesNotMatch(log(), /logical decoding/)
  // The server sends errors in requests to the caller. It does not log them, because they may contain data of the request.
  assert.equal((await service.from('notes').select().eq('id', 'no-number-of-hers')).status, 400)
  assert.doesNotMatch(log(), /no-number-of-hers/)
  await service.removeAllChannels()
  await cloch.kill()
  cloch = await begin(place)
  assert.equal(log().match(/starting PostgreSQL/g).length, 2)
  assert.equal(mode(join(place.data, 'db/server.log')), 0o600)
  await cloch.stop()
})

test('lost parts of the data folder are not created again', async (context) => {
  const place = await makeProject({ from: null, files: { 'migrations/1_files.sql': `insert into storage.buckets (id, name) values ('files', 'files')` } })
  let cloch = await begin(place)
  const files = (key) => createClient(cloch.url, key, { auth: { persistSession: false } }).storage.from('files')
  assert.equal((await files(cloch.serviceKey).upload('a.txt', 'kept')).error, null)
  await cloch.stop()
  const [secrets, objects, database, aside] = ['secrets.toml', 'objects', 'db', 'aside'].map((name) => join(place.data, name))

  await context.test('objects/', () => {
    renameSync(objects, aside)
    assert.match(refused(place), /objects is missing, while the database knows files/)
    assert.ok(!existsSync(objects))
    assert.ok(!existsSync(join(place.data, 'db/postmaster.pid')), 'its database runs on')
    renameSync(aside, objects)
  })
  await context.test('db/', () => {
    renameSync(database, aside)
    assert.match(refused(place), /there is no database in .*db, while .*objects holds files/)
    assert.ok(!existsSync(database))
    renameSync(aside, database)
  })
  await context.test('secrets.toml, until new secrets are requested', async () => {
    rmSync(secrets)
    assert.match(refused(place), /secrets.toml is missing, .*`cloch keys make`/)
    assert.ok(!existsSync(secrets))
    assert.equal(run(place, 'keys', 'make').status, 0)
    const old = cloch.serviceKey
    cloch = await begin(place)
    assert.notEqual(cloch.serviceKey, old)
    assert.notEqual((await files(old).download('a.txt')).error, null)
    assert.equal(await (await files(cloch.serviceKey).download('a.txt')).data.text(), 'kept')
    await cloch.stop()
  })
})

test('a misspelt key stops the start, and a misspelt key of config.toml may be ignored', async () => {
  const place = await makeProject({ from: null, change: (config) => `${config}\n[auth]\njwt_exspiry = 60\n` })
  writeFileSync(join(place.project, 'cloch.toml'), '[server]\ntrusted_proxy = ["10.0.0.0/8"]\nbody_limt = "1MiB"\n')
  const said = refused(place)
  assert.match(said, /cloch.toml, line 2: the key server.trusted_proxy is unknown; did you mean trusted_proxies\?/)
  assert.match(said, /cloch.toml, line 3: the key server.body_limt is unknown; did you mean body_limit\?/)
  assert.ok(!existsSync(place.data), 'nothing is made')
  rmSync(join(place.project, 'cloch.toml'))
  assert.match(refused(place), /config.toml, line \d+: the key auth.jwt_exspiry is unknown; did you mean jwt_expiry\? It could close what stays open without it/)
  writeFileSync(join(place.project, 'cloch.toml'), '[server]\nignored_keys = ["auth.jwt_exspiry"]\n')
  const cloch = await begin(place)
  assert.match(cloch.output(), /auth.jwt_exspiry/)
  await cloch.stop()
})

test('status shows whether the server runs, and the output of a start contains no secret keys', async () => {
  const place = await makeProject({ from: null, fresh: true })
  const cloch = await begin(place)
  const said = run(place, 'status')
  assert.equal(said.status, 0)
  assert.match(said.stdout, new RegExp(`running \\(process ${cloch.child.pid}\\)`))
  assert.ok(said.stdout.includes(cloch.serviceKey))
  assert.ok(said.stdout.includes(`${cloch.url}\n`))
  const { SERVICE_ROLE_KEY, SECRET_KEY, DB_URL, JWT_SECRET, ANON_KEY, API_URL } = cloch.keys
  const password = new URL(DB_URL).password
  for (const secret of [SERVICE_ROLE_KEY, SECRET_KEY, JWT_SECRET, password]) assert.ok(!cloch.output().includes(secret))
  for (const open of [ANON_KEY, API_URL, 'cloch status']) assert.ok(cloch.output().includes(open), open)
  await cloch.stop()
  const stopped = run(place, 'status', '-o', 'json')
  assert.equal(stopped.status, 1)
  assert.match(stopped.stderr, /the server is not running/)
  assert.equal(JSON.parse(stopped.stdout).ANON_KEY, ANON_KEY)
})

test('status of a server that was started with another port shows this port', async () => {
  const place = await makeProject({ from: null })
  const port = await freePort()
  const cloch = await begin({ ...place, url: `http://127.0.0.1:${port}` }, { flags: ['--port', String(port)] })
  const said = run(place, 'status')
  assert.equal(said.status, 0, said.stderr)
  assert.match(said.stdout, new RegExp(`Server +running \\(process ${cloch.child.pid}\\)\n`))
  assert.equal(cloch.keys.API_URL, cloch.url)
  await cloch.stop()
  assert.match(run(place, 'status').stdout, new RegExp(`${place.url}\n`))
})

test('status of a stopped server shows the state of its database', async () => {
  const place = await makeProject({ from: null })
  let cloch = await begin(place)
  await cloch.stop()
  const orderly = run(place, 'status')
  assert.equal(orderly.status, 1)
  assert.match(orderly.stdout, /Server {2}not running\n +Database {2}PostgreSQL \d+, shut down at 20\d\d-\d\d-\d\dT[\d:]+Z\n/)
  cloch = await begin(place)
  const postmaster = pid(place)
  process.kill(postmaster, 'SIGKILL')
  await cloch.kill()
  await until(() => !isAlive(postmaster), 'PostgreSQL lives')
  assert.match(run(place, 'status').stdout, /Database {2}PostgreSQL \d+, not shut down in order after .*: the next start recovers it/)
})

test('status requests another machine’s server with its secret key, and fails if the server is not ready', async () => {
  const place = await makeProject({ from: null, files: { 'cloch.toml': '[metrics]\naccess = "key"\n' } })
  const cloch = await begin(place)
  const ask = (key, url = cloch.url, ...given) =>
    spawnSync(binary, ['status', '--url', url, ...given], { encoding: 'utf8', timeout: 60_000, cwd: '/', env: { ...process.env, CLOCH_SERVICE_ROLE_KEY: key } })
  const forged = ask('sb_secret_forged')
  assert.deepEqual([forged.status, forged.stdout], [1, ''])
  assert.match(forged.stderr, /does not know this secret key/)
  assert.match(ask('').stderr, /set CLOCH_SERVICE_ROLE_KEY/)
  assert.match(ask(cloch.serviceKey, 'http://club.example').stderr, /would be sent in the clear/)
  for (const key of [cloch.serviceKey, cloch.keys.SECRET_KEY]) {
    const said = ask(key)
    assert.deepEqual([said.status, said.stderr], [0, ''])
    assert.match(said.stdout, /State {2}ready\n +Version {2}\d+\.\d+\.\d+\n/)
    assert.match(said.stdout, /Connections {2}\d+ of \d+\n/)
    assert.ok(!said.stdout.includes(key))
  }
  const everyone = postgres(place)
  everyone.forEach((process_) => process.kill(process_, 'SIGSTOP'))
  try {
    await until(async () => (await health(cloch)).status === 503, 'ready without a database')
    const lost = ask(cloch.serviceKey, cloch.url, '-o', 'json')
    assert.equal(lost.status, 1)
    assert.match(JSON.parse(lost.stdout).STATE, /^not ready \(database: /)
  } finally {
    everyone.forEach(proceed)
  }
  await cloch.stop()
  const gone = ask(cloch.serviceKey)
  assert.equal(gone.status, 1)
  assert.match(gone.stderr, /does not answer: .*refused/i)
})

test('other accounts cannot read the data folder', async () => {
  const place = await makeProject({ from: null, fresh: true })
  mkdirSync(place.data)
  let cloch = await begin(place)
  await cloch.stop()
  chmodSync(place.data, 0o755)
  chmodSync(join(place.data, 'objects'), 0o755)
  cloch = await begin(place)
  // If root starts the server, the account of PostgreSQL must be able to enter the folder.
  assert.equal(mode(place.data), process.getuid() === 0 ? 0o711 : 0o700)
  assert.equal(mode(join(place.data, 'objects')), 0o700)
  assert.equal(mode(join(place.data, 'secrets.toml')), 0o600)
  await cloch.stop()
})

test('SIGHUP drains the server if the terminal was closed, and otherwise applies the settings', async () => {
  const place = await makeProject({ from: null })
  // script(1) starts the program in a separate terminal. This terminal is closed when script ends.
  const [shown, words] = [join(place.folder, 'typescript'), ['start', ...of(place)]]
  const terminal = spawn('script', ['-qefc', `exec ${[binary, ...words].map((word) => `'${word}'`).join(' ')}`, shown], { stdio: 'ignore' })
  await until(() => healthy(place.url), 'not ready')
  const server = Number(readFileSync(join(place.data, 'cloch.lock'), 'utf8').split('\n')[0])
  const postmaster = pid(place)
  process.kill(server, 'SIGHUP')
  await until(() => /settings of the project's files applied/.test(readFileSync(shown, 'utf8')), 'not applied')
  assert.ok(await healthy(place.url))
  terminal.kill('SIGKILL')
  await until(() => !isAlive(server), 'still runs')
  assert.ok(!isAlive(postmaster))

  const child = spawn('nohup', [binary, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  await until(() => healthy(place.url), 'not ready')
  child.kill('SIGHUP')
  await until(() => /settings of the project's files applied/.test(output), 'not applied')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('a start continues if the reader of its output is gone', async () => {
  const place = await makeProject({ from: null })
  const child = spawn(binary, ['start', ...of(place)], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  child.stdout.destroy()
  child.stderr.destroy()
  await until(async () => child.exitCode !== null || (await healthy(place.url)), 'not ready')
  assert.equal(child.exitCode, null)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('clients that never finish do not delay the stop', async () => {
  const place = await makeProject({ from: null, files: { 'app/index.html': '<p>app</p>' } })
  writeFileSync(join(place.project, 'cloch.toml'), '[server]\ndrain_timeout = 2\n[web]\napp = "app"\n')
  // Opening a named pipe blocks a thread until another process writes to the pipe. The thread cannot be interrupted.
  execFileSync('mkfifo', [join(place.project, 'app/pipe.txt')])
  const cloch = await begin(place)
  const postmaster = pid(place)
  const sockets = ['POST /auth/v1/signup HTTP/1.1\r\nhost: x\r\ncontent-length: 100000\r\n\r\n', 'GET /pipe.txt HTTP/1.1\r\nhost: x\r\n\r\n', 'GET /slow'].map((text) => {
    const socket = connect(place.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(text)
    return socket
  })
  const dripping = setInterval(() => sockets.forEach((socket) => socket.writable && socket.write('x')), 500)
  await until(async () => {
    const said = await fetch(`${place.url}/`)
    return said.ok
  }, 'not served')
  const { code } = await cloch.stop()
  clearInterval(dripping)
  assert.equal(code, 0)
  assert.ok(!isAlive(postmaster))
})

test('until the load balancer has reacted, the stopping server continues to serve', async () => {
  const place = await makeProject({ from: null })
  writeFileSync(join(place.project, 'cloch.toml'), '[server]\nshutdown_delay = 5\n')
  const cloch = await begin(place)
  const stopped = cloch.stop()
  await until(async () => (await health(cloch)).status === 503, 'health does not say that it stops')
  const headers = { apikey: cloch.anonKey, connection: 'close' }
  for (let request = 0; request < 20; request += 1) {
    assert.equal((await fetch(`${cloch.url}/auth/v1/settings`, { headers })).status, 200)
  }
  assert.equal((await stopped).code, 0)
})

test('a start that is stopped half way leaves no database running', async () => {
  const place = await makeProject({ from: null, files: { 'migrations/1_long.sql': 'select pg_sleep(600)' } })
  const child = spawn(binary, ['start', ...of(place)], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await until(() => existsSync(join(place.data, 'db/postmaster.pid')), 'no database')
  const postmaster = pid(place)
  await until(() => readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ').length > 5, 'nothing runs')
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  await until(() => !isAlive(postmaster), 'the database runs on')
  rmSync(place.folder, { recursive: true })
})

test('after a kill during the creation of the first cluster, the next start completes it', async () => {
  const place = await makeProject({ from: null, fresh: true })
  for (const wait of [0, 60, 200]) {
    const child = spawn(binary, ['start', ...of(place)], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    await until(() => existsSync(join(place.data, 'secrets.toml')), 'nothing is made')
    // The kills are spread over the running time of initdb. The exact moment of each kill is not important.
    await sleep(wait)
    child.kill('SIGKILL')
    await ended
  }
  const cloch = await begin(place)
  assert.equal(await (await health(cloch)).status, 200)
  await cloch.stop()
})

test('a process that has the id of a dead database process is not stopped', async () => {
  const place = await makeProject({ from: null })
  let cloch = await begin(place)
  const pidFile = join(place.data, 'db/postmaster.pid')
  const text = readFileSync(pidFile, 'utf8')
  await cloch.stop()
  // A process that the account of PostgreSQL could stop.
  const { uid, gid } = statSync(join(place.data, 'db'))
  const innocent = spawn('sleep', ['600'], { stdio: 'ignore', uid, gid })
  try {
    writeFileSync(pidFile, text.replace(/^\d+/, String(innocent.pid)))
    cloch = await begin(place)
    assert.equal(innocent.exitCode ?? innocent.signalCode, null)
    await cloch.stop()
  } finally {
    innocent.kill()
  }
})

/** A program that keeps a connection from one port to another open until its standard input ends. */
const connected = `
import socket, sys
connection = socket.socket()
connection.bind(('127.0.0.1', int(sys.argv[1])))
connection.connect(('127.0.0.1', int(sys.argv[2])))
print('connected', flush=True)
sys.stdin.read()
`

test('the start waits for a foreign connection on the port, and names a foreign listener', async () => {
  for (const which of ['api', 'database']) {
    const place = await makeProject({ from: null })
    const port = which === 'api' ? place.port : Number(/\[db\]\nport = (\d+)/.exec(readFileSync(join(place.project, 'config.toml'), 'utf8'))[1])
    const listener = createServer().listen(await freePort(), '127.0.0.1')
    await once(listener, 'listening')
    // The sockets of Node allow other sockets to share their port. The sockets of most programs do not, so this program is written in Python.
    const client = spawn('python3', ['-c', connected, String(port), String(listener.address().port)], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [[peer]] = await Promise.all([once(listener, 'connection'), once(client.stdout, 'data')])
    const starting = begin(place)
    starting.catch(() => {})
    await until(() => outputs(place).includes(`port ${port} is used by another connection`), 'the port is not waited for')
    // The side that closes first keeps its port for a minute. Here, the listener closes first.
    peer.destroy()
    await once(peer, 'close')
    client.stdin.end()
    const cloch = await starting
    await cloch.stop()
    listener.close()

    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    assert.match(refused(place), which === 'api' ? /port \d+ on 127.0.0.1 is taken by another program/ : /\[db\] port in config.toml/)
    other.close()
  }
})

test('a copy that is started with --inspect does nothing by itself', async () => {
  const asked = []
  const elsewhere = createServer((socket) => {
    asked.push('asked')
    socket.destroy()
  })
  await new Promise((done) => elsewhere.listen(0, '127.0.0.1', done))
  const { port } = elsewhere.address()
  const migration = `
create table public.ticks (at timestamptz default now());
select cron.schedule('tick', '1 second', 'insert into public.ticks default values');
select net.http_post('http://127.0.0.1:${port}/hook', '{}'::jsonb);`
  const change = (text) => `${text}\n[auth.email.smtp]\nenabled = true\nhost = "127.0.0.1"\nport = ${port}\nuser = "u"\npass = "p"\nadmin_email = "club@example.org"\nsender_name = "Club"\n`
  const place = await makeProject({ from: null, files: { 'migrations/1_ticks.sql': migration, 'cloch.toml': '[backup]\nto = "backup"\nencrypt_to = "a passphrase that is long enough"\n' }, change })
  const copy = await begin(place, { flags: ['--inspect'] })
  const service = createClient(copy.url, copy.serviceKey, { auth: { persistSession: false } })
  assert.ifError((await service.auth.admin.inviteUserByEmail('ann@example.org')).error)
  const mail = await messageTo(copy.url, 'ann@example.org')
  assert.ok(mail, 'mails stay in the inbox')
  await sleep(3_000)
  assert.deepEqual([asked, (await service.from('ticks').select()).data, existsSync(join(place.project, 'backup'))], [[], [], false])
  elsewhere.close()
  await copy.stop()
  const { status, stderr } = spawnSync(binary, ['start', '--inspect', ...of(place)], { encoding: 'utf8', env: { ...process.env, CLOCH_DB_URL: 'postgresql://u:p@127.0.0.1:1/x' }, timeout: 60_000 })
  assert.deepEqual([status, /--inspect is for a copy/.test(stderr)], [1, true])
})
