/**
 * A project's own TypeScript functions in the running program, with the unmodified client: their input, their permissions, and their failures. A
 * function that misbehaves does not disturb other functions.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient, FunctionsHttpError } from '@supabase/supabase-js'

import { deno } from '../support/deno.mjs'
import { binary, start, startProject, sleep } from '../support/program.mjs'

const noSession = { auth: { persistSession: false, autoRefreshToken: false } }
const environment = { CLOCH_DENO: deno, A_SECRET_OF_THE_SERVER: 'x' }

const functions = {
  hello: `Deno.serve(async (request) => {
    const { name } = request.method === "POST" ? await request.json() : { name: "you" };
    console.log("greeting", name);
    return Response.json({ message: \`Hello \${name}!\`, method: request.method, url: request.url });
  });`,
  open: `export default { fetch: (request: Request) => new Response("open " + new URL(request.url).pathname + new URL(request.url).search) };`,
  environment: `Deno.serve(() => Response.json(Deno.env.toObject()));`,
  rows: `import { createClient } from "npm:@supabase/supabase-js@2";
  Deno.serve(async (request) => {
    const client = createClient(Deno.env.get("SUPABASE_URL")!, Deno.env.get("SUPABASE_ANON_KEY")!, {
      global: { headers: { Authorization: request.headers.get("Authorization")! } } });
    const { data, error } = await client.from("things").select();
    return Response.json({ data, error });
  });`,
  stream: `Deno.serve(async (request) => {
    if (request.headers.get("upgrade") === "websocket") {
      const { socket, response } = Deno.upgradeWebSocket(request);
      socket.onmessage = (event) => socket.send("echo " + event.data);
      return response;
    }
    if (request.method === "POST") return new Response(request.body);
    const events = async function* () { for (const n of [1, 2, 3]) yield new TextEncoder().encode(\`data: \${n}\\n\\n\`); };
    return new Response(ReadableStream.from(events()), { headers: { "content-type": "text/event-stream" } });
  });`,
  cors: `Deno.serve((request) => new Response(request.method === "OPTIONS" ? "ok" : "body", {
    status: 202, headers: { "access-control-allow-origin": "https://club.example" } }));`,
  echo: `Deno.serve((request) => Response.json(Object.fromEntries(request.headers)));`,
  broken: `import "./nowhere.ts"; Deno.serve(() => new Response("never"));`,
  silent: `console.log("nothing to serve");`,
  models: `Deno.serve(async () => {
    try { return Response.json(await new Supabase.ai.Session("gte-small").run("hello")); } catch (error) { return new Response(error.message); } });`,
  throws: `Deno.serve(() => { throw new Error("on purpose"); });`,
  exits: `Deno.serve(() => Deno.exit(3));`,
  loops: `Deno.serve(() => { for (;;); });`,
  greedy: `const kept: Uint8Array[] = []; Deno.serve(async () => {
    for (;;) { kept.push(new Uint8Array(16 << 20).fill(1)); await new Promise((done) => setTimeout(done, 1)); } });`,
  waits: `Deno.serve(() => new Promise(() => {}));`,
  never: `setInterval(() => {}, 1000);`,
  database: `import postgres from "npm:postgres@3.4.5";
  Deno.serve(async () => {
    const sql = postgres(Deno.env.get("SUPABASE_DB_URL")!, { max: 1 });
    try { return Response.json(await sql\`select current_user as role, (select id from public.things) as id\`); } finally { await sql.end(); } });`,
  floods: `Deno.serve(() => { for (let n = 0; n < 20_000; n++) console.log("line", n); return new Response("flooded"); });`,
  headers: `Deno.serve(() => new Response("x", { headers: Object.fromEntries([...Array(3000).keys()].map((n) => ["x-" + n, "y".repeat(100)])) }));`,
  background: `Deno.serve(() => { EdgeRuntime.waitUntil((async () => {
      await new Promise((done) => setTimeout(done, 300)); console.log("background work is done"); })());
    return new Response("answered"); });`,
  prober: `const attempt = async (work: () => unknown) => { try { await work(); return "allowed"; } catch (error) { return (error as Error).name; } };
  Deno.serve(async (request) => { const { files, addresses } = await request.json(); return Response.json({
    read: Object.fromEntries(await Promise.all(files.map(async (file: string) => [file, await attempt(() => Deno.readTextFile(file))]))),
    connect: Object.fromEntries(await Promise.all(addresses.map(async ([hostname, port]: [string, number]) => [hostname, await attempt(() => Deno.connect({ hostname, port }))]))),
    fetch: await attempt(() => fetch("http://169.254.169.254/latest/meta-data/")),
    run: await attempt(() => new Deno.Command("/usr/bin/id").output()),
    library: await attempt(() => Deno.dlopen("libc.so.6", {})),
    ipv6: await Deno.connect({ hostname: "fd12::1", port: 80 }).then(() => "connected", (error) => error.message),
    listen: await attempt(() => Deno.listen({ hostname: "192.88.99.1", port: 0 })),
    remove: await Promise.all(["..", "../.."].flatMap((up) => ["server.sock", "database.sock"].map((name) => attempt(() => Deno.remove(Deno.env.get("TMPDIR") + "/" + up + "/" + name))))),
    own: await Deno.readTextFile(new URL("note.txt", import.meta.url)),
    temporary: await (async () => { const file = await Deno.makeTempFile(); await Deno.writeTextFile(file, "kept"); return Deno.readTextFile(file); })(),
  }); });`,
}
const config = [
  ...['open', 'cors', 'echo', 'loops', 'greedy', 'exits', 'throws', 'models', 'floods', 'headers', 'background', 'prober', 'silent', 'broken', 'stream', 'waits', 'never'].map(
    (name) => `[functions.${name}]\nverify_jwt = false`,
  ),
  '[functions.off]\nenabled = false',
  '[edge_runtime.secrets]\nA_SECRET = "of the project"',
].join('\n')
const files = {
  ...Object.fromEntries(Object.entries(functions).map(([name, code]) => [`functions/${name}/index.ts`, code])),
  'functions/off/index.ts': 'Deno.serve(() => new Response("off"));',
  'functions/_shared/index.ts': 'Deno.serve(() => new Response("shared"));',
  'functions/prober/note.txt': 'a note',
  'functions/hello/.env': 'OF_HELLO=1\n',
  'functions/.env': 'OF_ALL=1\nSUPABASE_URL=https://evil.example\n',
  'migrations/20260101000000_things.sql':
    "create table public.things (id int primary key); alter table public.things enable row level security; create policy all_read on public.things for select using (true); insert into public.things values (7);",
  'cloch.toml': '[functions.loops]\ncpu_seconds = 1\n[functions.waits]\ntimeout_seconds = 1\n[functions.greedy]\nmemory_mb = 128\n',
}

let cloch
let visitor
before(async () => {
  cloch = await startProject({ from: null, files, environment, change: (text) => `${text}\n${config}\n` })
  visitor = createClient(cloch.url, cloch.anonKey, noSession)
})
after(() => cloch?.remove())

const call = (name, options) => fetch(`${cloch.url}/functions/v1/${name}`, options)
const eventually = async (find, what) => {
  for (let tries = 0; tries < 200; tries++) {
    if (await find()) return
    await sleep(50)
  }
  assert.fail(what)
}

test('a file makes a function exist, and a token is required unless config.toml disables this', async () => {
  for (const [authorization, msg] of [
    [undefined, 'Error: Missing authorization header'],
    ['Basic abc', "Error: Auth header is not 'Bearer {token}'"],
    ['Bearer a.b.c', 'Invalid JWT'],
  ]) {
    const refused = await call('hello', { headers: authorization ? { authorization } : {} })
    assert.deepEqual([refused.status, await refused.json()], [401, { msg }])
    assert.equal(refused.headers.get('access-control-allow-origin'), '*')
  }
  for (const name of ['off', '_shared', 'nowhere', '..%2fhello']) {
    const unknown = await call(name)
    assert.deepEqual([unknown.status, await unknown.text()], [404, 'Function not found'], name)
  }
  const { data, error } = await visitor.functions.invoke('hello', { body: { name: 'Eilidh' } })
  assert.equal(error, null)
  assert.deepEqual(data, { message: 'Hello Eilidh!', method: 'POST', url: `${cloch.url}/hello` })
  const open = await call('open/a%20b/c?d=e')
  assert.deepEqual([open.status, await open.text()], [200, 'open /open/a%20b/c?d=e'])
})

test('the environment holds what the function may see, and nothing of the server', async () => {
  const { data } = await visitor.functions.invoke('environment')
  assert.deepEqual(
    Object.keys(data).sort(),
    ['A_SECRET', 'OF_ALL', 'SB_EXECUTION_ID', 'SB_JWT_ISSUER', 'SUPABASE_ANON_KEY', 'SUPABASE_DB_URL', 'SUPABASE_JWKS', 'SUPABASE_PUBLISHABLE_KEYS', 'SUPABASE_SECRET_KEYS', 'SUPABASE_SERVICE_ROLE_KEY', 'SUPABASE_URL', 'TMPDIR'],
  )
  assert.equal(data.SUPABASE_URL, cloch.url)
  // Functions compare the issuer of tokens with this value.
  assert.equal(data.SB_JWT_ISSUER, `${cloch.url}/auth/v1`)
  assert.equal(data.SUPABASE_SERVICE_ROLE_KEY, cloch.serviceKey)
  assert.deepEqual(JSON.parse(data.SUPABASE_PUBLISHABLE_KEYS), { default: cloch.keys.PUBLISHABLE_KEY })
})

test('trace context and request id are passed on, and no address that a client has invented', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const answer = await call('echo', { headers: { traceparent, tracestate: 'vendor=1', 'x-forwarded-for': '203.0.113.9', 'x-cloch-role': 'service_role' } })
  const seen = await answer.json()
  assert.deepEqual([seen.traceparent, seen.tracestate], [traceparent, 'vendor=1'])
  assert.equal(seen['x-request-id'], answer.headers.get('x-request-id'))
  assert.equal(seen['x-cloch-role'], undefined, 'what only Cloch says')
  // The function does not receive a client address that the caller has sent in a header.
  assert.notEqual(seen['x-forwarded-for'], '203.0.113.9')
})

test('a function reads the project with its caller’s rights', async () => {
  const { data, error } = await visitor.functions.invoke('rows')
  assert.equal(error, null)
  assert.deepEqual(data, { data: [{ id: 7 }], error: null })
})

test('a function reaches the project’s database with a driver of npm, and no other service of this machine', async () => {
  const { data, error } = await visitor.functions.invoke('database')
  assert.equal(error, null)
  assert.deepEqual(data, [{ role: 'postgres', id: 7 }])
})

test('bodies are streamed in both directions, events arrive as events, and a WebSocket is passed through', async () => {
  const text = 'x'.repeat(3 << 20)
  const echoed = await call('stream', { method: 'POST', body: new Blob([text]).stream(), duplex: 'half' })
  assert.equal((await echoed.text()).length, text.length)
  const { data } = await visitor.functions.invoke('stream', { method: 'GET' })
  assert.equal(await data.text(), 'data: 1\n\ndata: 2\n\ndata: 3\n\n')
  const socket = new WebSocket(`${cloch.url.replace('http', 'ws')}/functions/v1/stream`)
  const answer = await new Promise((done, failed) => {
    socket.onopen = () => socket.send('hi')
    socket.onmessage = (event) => done(event.data)
    socket.onerror = () => failed(new Error('the socket failed'))
  })
  socket.close()
  assert.equal(answer, 'echo hi')
})

test('a function answers a preflight itself, and its headers are kept', async () => {
  const preflight = { method: 'OPTIONS', headers: { origin: 'https://x.example', 'access-control-request-method': 'POST' } }
  for (const options of [preflight, {}]) {
    const answer = await call('cors', options)
    assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [202, 'https://club.example'])
  }
  for (const name of ['broken', 'nowhere']) assert.equal((await call(name, preflight)).status, 200, 'so that a browser shows the refusal')
})

test('a function that cannot run returns BOOT_ERROR, and the log contains the reason', async () => {
  for (const name of ['broken', 'silent']) {
    const refused = await call(name)
    const body = await refused.json()
    assert.deepEqual([refused.status, body], [503, { code: 'BOOT_ERROR', message: 'Worker failed to boot (please check logs)' }], name)
  }
  assert.match(cloch.output(), /functions\/broken\/nowhere\.ts/)
  assert.match(cloch.output(), /functions\/broken\/index\.ts:1:8/)
})

test('a function that never listens, and a response that never arrives, end with a timeout', async () => {
  const [never, waits, other] = await Promise.all([call('never'), call('waits'), call('open')])
  assert.deepEqual([never.status, (await never.json()).code], [503, 'BOOT_ERROR'])
  assert.deepEqual([waits.status, (await waits.json()).code, other.status], [504, 'REQUEST_TIMEOUT', 200])
})

test('errors of a function are its own, with upstream’s texts', async () => {
  assert.equal((await call('throws')).status, 500)
  const { error } = await visitor.functions.invoke('exits')
  assert.ok(error instanceof FunctionsHttpError)
  assert.deepEqual(
    [error.context.status, await error.context.json()],
    [500, { code: 'WORKER_ERROR', message: 'Function exited due to an error (please check logs)' }],
  )
  await eventually(() => /on purpose.*functions\/throws\/index\.ts:1:/.test(cloch.output()), 'the stack names the line in TypeScript, in one row')
})

test('without [ai], a model returns an error that explains this', async () => {
  assert.match(await (await call('models')).text(), /no model "gte-small", because \[ai\] of cloch\.toml names no server/)
})

test('a limit ends the worker and nothing else', async () => {
  for (const name of ['loops', 'greedy']) {
    let running = true
    const others = (async () => {
      const statuses = []
      while (running) statuses.push((await call('open')).status)
      return statuses
    })()
    const limited = await call(name)
    running = false
    const statuses = await others
    assert.ok(statuses.length > 0 && statuses.every((status) => status === 200), `${name}: ${statuses}`)
    const message = 'Worker failed to respond due to a resource limit (please check logs)'
    assert.deepEqual([limited.status, await limited.json()], [546, { code: 'WORKER_LIMIT', message }], name)
  }
  await eventually(() => /CPU time limit/.test(cloch.output()) && /memory limit/.test(cloch.output()), 'the log says which')
})

test('a function reads and writes its own, starts nothing, and reaches no address of this machine', async () => {
  const [data, project] = [cloch.data, cloch.project]
  const database = Number(new URL(cloch.keys.DB_URL).port)
  const closed = ['/etc/passwd', `${data}/secrets.toml`, `${project}/config.toml`, `${project}/functions/.env`, `${project}/functions/hello/.env`, `${project}/functions/hello/index.ts`, '/proc/self/environ']
  const addresses = [['127.0.0.1', 22], ['127.0.0.2', database], ['localhost', cloch.port], ['0.0.0.0', database], ['10.0.0.1', 1], ['::1', database], ['[::ffff:127.0.0.1]', database]]
  const answer = await call('prober', { method: 'POST', body: JSON.stringify({ files: closed, addresses }) })
  const found = await answer.json()
  assert.deepEqual(found.read, Object.fromEntries(closed.map((file) => [file, 'NotCapable'])))
  for (const [address, outcome] of Object.entries(found.connect)) assert.notEqual(outcome, 'allowed', address)
  assert.deepEqual([found.fetch, found.run, found.library], ['NotCapable', 'NotCapable', 'NotCapable'])
  assert.deepEqual([found.own, found.temporary], ['a note', 'kept'])
  assert.ok(found.remove.every((outcome) => outcome !== 'allowed'), `the sockets of all functions stay: ${found.remove}`)
})

test('behind Deno, the kernel closes files, networks of IPv6, ports and the rights of root', async () => {
  // Starts the launcher with a program that has no permission checks, in contrast to Deno.
  const fence = { readable: [`${cloch.project}/functions/prober`], writable: [], sockets: cloch.folder, ipv6: false }
  const run = (...words) => spawnSync(binary, ['function-worker', String(process.pid), JSON.stringify(fence), ...words], { encoding: 'utf8' })
  const own = run('/bin/cat', `${cloch.project}/functions/prober/note.txt`)
  assert.deepEqual([own.stdout, own.stderr], ['a note', ''])
  for (const file of ['/etc/passwd', `${cloch.data}/secrets.toml`, `${cloch.project}/config.toml`]) {
    assert.match(run('/bin/cat', file).stderr, /Permission denied/, file)
  }
  assert.match(run('/bin/cp', '/etc/hosts', `${cloch.project}/functions/prober/note.txt`).stderr, /Permission denied/)
  const status = run('/bin/cat', '/proc/self/status').stdout
  assert.match(status, /NoNewPrivs:\s*1[^]*Seccomp:\s*2/)
  // The process has at most one capability left: to read files of other users.
  assert.match(status, /CapPrm:\s*0{15}[04]\n[^]*CapBnd:/)
  const answer = await call('prober', { method: 'POST', body: JSON.stringify({ files: [], addresses: [['fd12::1', 80], ['2001:db8::1', 80]] }) })
  const found = await answer.json()
  assert.ok(Object.values(found.connect).every((outcome) => outcome !== 'allowed'), JSON.stringify(found.connect))
  assert.match(found.ipv6, /Address family not supported/)
  assert.notEqual(found.listen, 'allowed')
})

test('messages are log lines with function, request and level, and a flood of them is limited', async () => {
  const answer = await call('hello', { headers: { authorization: `Bearer ${cloch.anonKey}`, 'x-request-id': 'a-request-of-mine' } })
  const id = answer.headers.get('x-request-id')
  await eventually(() => cloch.output().split('\n').some((line) => line.includes('greeting you') && line.includes('function=hello') && line.includes(id)), 'the message is there')
  assert.equal(await (await call('floods')).text(), 'flooded')
  await eventually(() => /line 900/.test(cloch.output()), 'the first messages are there')
  assert.doesNotMatch(cloch.output(), /line 19000/)
  const kept = execFileSync(binary, ['functions', 'logs', 'hello', '--project', cloch.project, '--data', cloch.data]).toString()
  assert.match(kept, /info .* greeting you/)
})

test('endless headers are an error of that call', async () => {
  assert.equal((await call('headers')).status, 500)
  assert.equal((await call('open')).status, 200)
})

test('work after the response continues', async () => {
  assert.equal(await (await call('background')).text(), 'answered')
  await eventually(() => /background work is done/.test(cloch.output()), 'waitUntil waits')
})

test('a saved file is served by the next requests', async () => {
  const file = join(cloch.project, 'functions/open/index.ts')
  writeFileSync(file, 'Deno.serve(() => new Response("saved"));')
  await eventually(async () => (await (await call('open')).text()) === 'saved', 'the new code is served')
  writeFileSync(file, functions.open)
  await eventually(async () => (await (await call('open')).text()).startsWith('open'), 'and the old one again')
})

test('a new function is served by the next requests, and a deleted one is not found', async () => {
  const folder = join(cloch.project, 'functions/fresh')
  const headers = { authorization: `Bearer ${cloch.anonKey}` }
  const answer = async (options) => {
    const answered = await call('fresh', options)
    return [answered.status, await answered.text()]
  }
  const missing = [404, 'Function not found']
  assert.deepEqual(await answer({ headers }), missing)
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.ts'), 'import { word } from "./lib/word.ts"; Deno.serve(() => new Response(word));')
  mkdirSync(join(folder, 'lib'))
  writeFileSync(join(folder, 'lib/word.ts'), 'export const word = "fresh";')
  // The server may find a new file a moment before the file's content is complete.
  await eventually(async () => (await answer({ headers }))[1] === 'fresh', 'the new function is served')
  assert.deepEqual(await answer(), [401, '{"msg":"Error: Missing authorization header"}'], 'a token is asked for')
  writeFileSync(join(folder, 'lib/word.ts'), 'export const word = "saved";')
  await eventually(async () => (await answer({ headers }))[1] === 'saved', 'files of its subfolders are followed')
  rmSync(folder, { recursive: true })
  await eventually(async () => (await answer({ headers }))[0] === 404, 'it is gone')
  assert.deepEqual(await answer({ headers }), missing)
  assert.equal((await call('open')).status, 200, 'the others stay')
})

test('where the server is root, its workers are another account and own their temporary folder alone', { skip: process.getuid() !== 0 && 'not root' }, async () => {
  await call('open')
  const [worker] = processes()
  const status = readFileSync(`/proc/${worker}/status`, 'utf8')
  assert.match(status, /^Uid:\t61754\t61754\t61754\t61754$/m)
  assert.match(status, /^Gid:\t61754\t61754\t61754\t61754$/m)
  assert.match(status, /^Groups:\s*$/m)
  // Of the capabilities of root, only reading remains. The process needs it because other accounts may not be able to enter the project's folder.
  assert.match(status, /^CapEff:\t0000000000000004$/m)
})

const processes = () =>
  readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${cloch.data}/functions/preload.js`)
    } catch {
      return false
    }
  })

test('a killed worker fails only its own requests, and the next one is served', async () => {
  await call('open')
  const [worker] = processes().filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('functions/open/index.ts'))
  const calls = Array.from({ length: 100 }, () => call('open').then((answer) => answer.status))
  process.kill(Number(worker), 'SIGKILL')
  const statuses = await Promise.all(calls)
  assert.ok(statuses.every((status) => [200, 500].includes(status)), String(statuses))
  assert.equal((await call('open')).status, 200)
})

test('a version is deployed and rolled back while the server runs, and no request fails', async () => {
  const command = (...words) => execFileSync(binary, ['functions', ...words, '--project', cloch.project, '--data', cloch.data]).toString()
  const file = join(cloch.project, 'functions/open/index.ts')
  let running = true
  const failed = []
  const load = (async () => {
    while (running) {
      const answer = await call('open')
      if (answer.status !== 200) failed.push(answer.status)
      await answer.text()
    }
  })()
  assert.match(command('deploy', 'open'), /open: version 1/)
  writeFileSync(file, 'Deno.serve(() => new Response("version two"));')
  const other = async () => (await call('open')).text()
  assert.match(await other(), /^open /, 'the folder is not served any more')
  assert.match(command('deploy', 'open'), /open: version 2/)
  await eventually(async () => (await other()) === 'version two', 'version 2 is served')
  for (const code of ['import "./nowhere.ts";', 'Deno.serve(() => new Response("not closed";']) {
    writeFileSync(file, code)
    assert.throws(() => command('deploy', 'open'), (error) => /nothing is deployed\nopen: /.test(error.stderr.toString()))
  }
  writeFileSync(file, 'throw new Error("at boot");')
  assert.throws(() => command('deploy', 'open'), (error) => error.status === 1 && /open: version 3 does not boot.*at boot/s.test(error.stdout.toString()))
  assert.match(cloch.output(), /failed to boot/)
  assert.equal(await other(), 'version two', 'the one before is served')
  await eventually(() => /open .* serves version 2 of \[1, 2, 3\]/.test(command('list')), 'the next start serves it too')
  assert.match(command('rollback', 'open', '--to', '1'), /open: version 1/)
  await eventually(async () => (await other()).startsWith('open'), 'version 1 is served again')
  running = false
  await load
  assert.deepEqual(failed, [])
  assert.match(command('list'), /open .* serves version 1 of \[1, 2, 3\]/)
})

test('a killed server leaves no worker running', async () => {
  await call('open')
  assert.ok(processes().length > 0)
  await cloch.kill()
  await eventually(() => processes().length === 0, 'the workers are gone')
  cloch = await start(cloch, { environment })
  assert.equal((await call('hello', { headers: { authorization: `Bearer ${cloch.anonKey}` } })).status, 200)
  await cloch.stop()
  assert.equal(processes().length, 0)
})
