// The functions of a project. Measures requests to a minimal function whose worker is already running: through the whole program, and alternately
// with plain `deno serve` of the same file. Prints the ratio of the medians. Also measures the time from the first request to a function, for
// which a worker must start, to the response.
// Usage: node bench/functions.mjs [--rounds 5] [--seconds 2] [--connections 1,32] [--cold 15]
//   [--before PROGRAM]   another build of Cloch, measured in place of Deno; the goal is then 1

import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { deno } from '../tests/support/deno.mjs'
import { binary, freePort, makeProject, sleep, start } from '../tests/support/program.mjs'
import { record } from './record.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}
const rounds = Number(option('rounds', 5))
const seconds = option('seconds', '2')
const connections = option('connections', '1,32').split(',').map(Number)
const cold = Number(option('cold', 15))
const before = option('before')
const load = process.env.CLOCH_LOAD_BIN ?? join(process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '../target'), 'release/examples/load')
const GOALS = { ratio: 0.5, perSecond: 5_000, bareMs: 60, readMs: 150 }

const bare = 'export default { fetch: () => new Response("hello") };\n'
const read = `import { createClient } from "npm:@supabase/supabase-js@2";
Deno.serve(async () => {
  const client = createClient(Deno.env.get("SUPABASE_URL")!, Deno.env.get("SUPABASE_ANON_KEY")!);
  const { data, error } = await client.from("things").select();
  return error ? new Response(error.message, { status: 500 }) : Response.json(data);
});\n`
const numbers = [...Array(cold).keys()]
const names = ['bare', ...numbers.flatMap((number) => [`bare-${number}`, `read-${number}`])]

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
const run = async (...command) => (await promisify(execFile)(...command)).stdout

async function startCloch(program) {
  const place = await makeProject({
    from: null,
    files: {
      ...Object.fromEntries(names.map((name) => [`functions/${name}/index.ts`, name.startsWith('read') ? read : bare])),
      'migrations/20260101000000_things.sql':
        'create table public.things (id int primary key); alter table public.things enable row level security; create policy all_read on public.things for select using (true); insert into public.things values (7);',
    },
    change: (text) => text + names.map((name) => `[functions.${name}]\nverify_jwt = false\n`).join(''),
  })
  const environment = { CLOCH_DENO: deno, CLOCH_LOG: 'info' }
  await run(program, ['functions', 'cache', '--project', place.project, '--data', place.data], { env: { ...process.env, ...environment } })
  const running = await start(place, { environment, program })
  return { port: place.port, path: '/functions/v1/bare', pid: running.child.pid, output: running.output, stop: running.remove }
}

async function startDeno() {
  const folder = mkdtempSync(join(tmpdir(), 'cloch-bench-deno-'))
  const file = join(folder, 'index.ts')
  writeFileSync(file, bare)
  const port = await freePort()
  const child = spawn(deno, ['serve', '--quiet', '--no-prompt', '--host', '127.0.0.1', '--port', String(port), file], {
    env: { ...process.env, DENO_DIR: join(folder, 'cache') },
    stdio: 'ignore',
  })
  while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))) await sleep(20)
  const stop = async () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  return { port, path: '/', pid: child.pid, stop }
}

const children = (pid) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1].split(' ')[1] === String(pid) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('--cached-only')
      } catch {
        return false
      }
    })

/** Returns the milliseconds from a request to a function without a worker to the end of the response. */
async function firstAnswer(server, name) {
  const begun = performance.now()
  const answer = await fetch(`http://127.0.0.1:${server.port}/functions/v1/${name}`)
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`)
  return performance.now() - begun
}

const folder = mkdtempSync(join(tmpdir(), 'cloch-bench-functions-'))
const cloch = await startCloch(binary)
const peer = before ? await startCloch(before) : await startDeno()
const servers = { peer, cloch }
try {
  console.log(`${names.length} functions, none called: ${children(cloch.pid).length} processes (goal 0)`)
  for (const [kind, goal] of [
    ['bare', GOALS.bareMs],
    ['read', GOALS.readMs],
  ]) {
    const times = []
    for (const number of numbers) times.push(await firstAnswer(cloch, `${kind}-${number}`))
    record({ group: 'Functions', name: `first response of a function, ${kind === 'bare' ? 'without imports' : 'with supabase-js and one read'}`, unit: 'ms', less: true, value: median(times) })
    console.log(`cold start to first answer, ${kind === 'bare' ? 'bare' : 'supabase-js and one read'}: median ${median(times).toFixed(0)} ms (goal ${goal}), most ${Math.max(...times).toFixed(0)} ms`)
  }
  for (const count of connections) {
    const seen = { peer: [], cloch: [] }
    for (let round = 0; round < rounds; round++) {
      for (const name of round % 2 ? ['cloch', 'peer'] : ['peer', 'cloch']) {
        const server = servers[name]
        const file = join(folder, name)
        writeFileSync(file, `GET ${server.path} HTTP/1.1\r\nhost: bench\r\n\r\n`)
        seen[name].push(JSON.parse(await run(load, [String(server.port), String(count), seconds, file, '200'])))
      }
    }
    const of = (name, key) => median(seen[name].map((one) => one[key]))
    const ratio = of('cloch', 'per_second') / of('peer', 'per_second')
    const failures = [...seen.peer, ...seen.cloch].reduce((sum, one) => sum + one.failures, 0)
    const result = (name) => ({ value: of(name, 'per_second'), ms: { p50: of(name, 'median_us') / 1000, p99: of(name, 'p99_us') / 1000 } })
    record({ group: 'Functions', name: 'warm function without imports', connections: count, unit: 'requests/s', ...result('cloch'), peer: { name: before ? 'before' : 'deno serve', ...result('peer') } })
    console.log(
      `bare, warm ${String(count).padStart(3)} conn  ${of('peer', 'per_second').toFixed(0).padStart(6)}/s -> ${of('cloch', 'per_second').toFixed(0).padStart(6)}/s (goal ${GOALS.perSecond})  ` +
        `x ${ratio.toFixed(2)} (goal ${before ? 1 : GOALS.ratio})  median ${of('peer', 'median_us')} -> ${of('cloch', 'median_us')} us  p99 ${of('peer', 'p99_us')} -> ${of('cloch', 'p99_us')} us  workers ${children(cloch.pid).length}${failures ? `  FAILURES ${failures}` : ''}`,
    )
  }
} finally {
  await Promise.all([peer.stop(), cloch.stop()])
  rmSync(folder, { recursive: true, force: true })
}
