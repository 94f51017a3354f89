/**
 * The lifecycle of the workers of a project's functions: when workers start, how many there are, and when and how they end. Also deployments under
 * load, and the commands for development.
 */
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'

import { deno } from '../support/deno.mjs'
import { binary, healthy, makeProject, removePlace, sleep, start, startProject } from '../support/program.mjs'

const environment = { CLOCH_DENO: deno }
/** Code in two files. Both contain the same version number, so the response shows if the files of two versions were mixed. */
const twoFiles = (version) => ({
  'index.ts': `import { other } from "./other.ts"; Deno.serve(() => Response.json(["${version}", other]));`,
  'other.ts': `export const other = "${version}";`,
})
const functions = {
  brief: `addEventListener("beforeunload", (event) => console.log("unloading because of", event.detail.reason));
  Deno.serve(() => new Response(Deno.env.get("SB_EXECUTION_ID")));`,
  busy: `Deno.serve(() => {
    const end = performance.now() + 20;
    while (performance.now() < end);
    return new Response(Deno.env.get("SB_EXECUTION_ID")); });`,
  waiting: `Deno.serve(async () => {
    await new Promise((done) => setTimeout(done, 300));
    return new Response(Deno.env.get("SB_EXECUTION_ID")); });`,
  one: `let count = 0; Deno.serve(() => Response.json({ id: Deno.env.get("SB_EXECUTION_ID"), count: ++count }));`,
  full: `Deno.serve(async () => { await new Promise((done) => setTimeout(done, 1500)); return new Response("done"); });`,
}
const files = {
  ...Object.fromEntries(Object.entries(functions).map(([name, code]) => [`functions/${name}/index.ts`, code])),
  ...Object.fromEntries(Object.entries(twoFiles('first')).map(([name, code]) => [`functions/deployed/${name}`, code])),
  'cloch.toml': '[functions.brief]\nidle_seconds = 1\n[functions.busy]\nmax_workers = 2\n[functions.waiting]\nmax_workers = 3\n[functions.full]\nmax_requests = 2\nmax_workers = 1\n',
}
const open = (names) => names.map((name) => `[functions.${name}]\nverify_jwt = false\n`).join('')

let cloch
before(async () => {
  cloch = await startProject({ from: null, files, environment, change: (text) => text + open([...Object.keys(functions), 'deployed']) })
})
after(() => cloch?.remove())

const call = (name, place = cloch) => fetch(`${place.url}/functions/v1/${name}`)
const text = async (name, place) => (await call(name, place)).text()
const eventually = async (find, what) => {
  for (let tries = 0; tries < 400; tries++) {
    if (await find()) return
    await sleep(50)
  }
  assert.fail(what)
}
/** Returns the ids of the worker processes of a function. */
const workers = (name, place = cloch) =>
  readdirSync('/proc').filter((pid) => {
    try {
      const words = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return words && words.includes(`${place.data}/functions/preload.js`) && words.includes(`functions/${name}/`)
    } catch {
      return false
    }
  })
const command = (place, ...words) => execFileSync(binary, ['functions', ...words, '--project', place.project, '--data', place.data]).toString()

test('the series of a function begin at zero, so that Prometheus sees the first event', async () => {
  const place = await startProject({ from: null, files: { 'functions/quiet/index.ts': functions.one }, environment })
  try {
    const metrics = await (await fetch(`${place.url}/metrics`)).text()
    assert.match(metrics, /^cloch_function_boots_total\{function="quiet"\} 0$/m)
    assert.match(metrics, /^cloch_function_calls_total\{function="quiet",status="5xx"\} 0$/m)
  } finally {
    await place.remove()
  }
})

test('functions that nobody calls have no process', () => {
  assert.deepEqual(Object.keys(functions).flatMap((name) => workers(name)), [])
})

test('an idle worker is notified and ends; the next request gets a new worker', async () => {
  const first = await text('brief')
  assert.equal(workers('brief').length, 1)
  await eventually(() => workers('brief').length === 0, 'it has ended')
  await eventually(() => /unloading because of early_drop/.test(cloch.output()), 'it was told why')
  const lines = cloch.output().split('\n').filter((line) => line.includes(first))
  assert.ok(lines.some((line) => /booted.* boot_time_ms=\d+/.test(line)) && lines.some((line) => /shutdown.* reason="retired"/.test(line)), lines.join('\n'))
  assert.notEqual(await text('brief'), first)
})

test('a function that computes gets more workers, up to the maximum; one that waits for others needs one', async () => {
  const seen = new Set()
  for (let round = 0; round < 20 && seen.size < 2; round++) (await Promise.all(Array.from({ length: 64 }, () => text('busy')))).forEach((id) => seen.add(id))
  assert.equal(seen.size, 2)
  assert.equal(workers('busy').length, 2)
  const waited = (await Promise.all(Array.from({ length: 64 }, () => text('waiting')))).concat(await Promise.all(Array.from({ length: 64 }, () => text('waiting'))))
  assert.equal(new Set(waited).size, 1)
})

test('more concurrent requests than a function may have are refused, with the time until a retry', async () => {
  await text('full')
  const answers = await Promise.all(Array.from({ length: 5 }, () => call('full')))
  const refused = answers.filter(({ status }) => status === 503)
  assert.equal(answers.filter(({ status }) => status === 200).length, 2)
  assert.equal(refused.length, 3)
  for (const answer of refused) assert.deepEqual([answer.headers.get('retry-after'), (await answer.json()).code], ['1', 'WORKER_LIMIT'])
})

test('deploys under 200 requests a second: no request fails, and none sees a mixture of versions', async () => {
  const [seen, wrong] = [new Set(), []]
  const calls = []
  let waiting = 0
  const ask = async () => {
    waiting += 1
    try {
      const answer = await call('deployed')
      const versions = answer.status === 200 ? await answer.json() : [answer.status, await answer.text()]
      if (versions[0] !== versions[1]) wrong.push(versions)
      else seen.add(versions[0])
    } catch (error) {
      wrong.push(error.cause ?? error)
    } finally {
      waiting -= 1
    }
  }
  await ask()
  const begun = performance.now()
  let running = true
  const load = (async () => {
    while (running) {
      // Responses take longer on a busy machine. The rate of calls is limited, because the number of connections from one network is limited.
      while (waiting < 100 && calls.length < ((performance.now() - begun) / 1000) * 200) calls.push(ask())
      await sleep(5)
    }
  })()
  const deploy = promisify(execFile)
  let number = 0
  while (number < 3 || calls.length < 600) {
    const version = `version ${++number}`
    for (const [name, code] of Object.entries(twoFiles(version))) writeFileSync(join(cloch.project, 'functions/deployed', name), code)
    await deploy(binary, ['functions', 'deploy', 'deployed', '--project', cloch.project, '--data', cloch.data])
    await eventually(() => seen.has(version), `${version} is served`)
  }
  await deploy(binary, ['functions', 'rollback', 'deployed', '--project', cloch.project, '--data', cloch.data])
  await eventually(async () => (await text('deployed')).includes(`version ${number - 1}`), 'the version before is served again')
  running = false
  await load
  await Promise.all(calls)
  assert.deepEqual(wrong, [])
})

test('with the policy oneshot, each request has its own worker', async () => {
  const place = await startProject({
    from: null,
    files: { 'functions/one/index.ts': functions.one },
    environment,
    change: (config) => `${config}${open(['one'])}[edge_runtime]\npolicy = "oneshot"\n`,
  })
  try {
    const answers = [JSON.parse(await text('one', place)), ...(await Promise.all([1, 2, 3, 4].map(async () => JSON.parse(await text('one', place)))))]
    assert.equal(new Set(answers.map(({ id }) => id)).size, 5)
    assert.ok(answers.every(({ count }) => count === 1))
    await eventually(() => workers('one', place).length === 0, 'and none stays')
  } finally {
    await place.remove()
  }
})

test('the commands create, list, show and serve functions', async () => {
  const place = await makeProject({ from: null, files: { 'functions/old/index.ts': 'console.log("hello from the start"); Deno.serve(() => new Response("deployed code"));' }, change: (config) => config + open(['old', 'fresh']) })
  assert.match(command(place, 'new', 'fresh'), /functions\/fresh\/index\.ts is made/)
  assert.ok(existsSync(join(place.project, 'functions/fresh/index.ts')))
  for (const name of ['fresh', '../x', '8']) assert.throws(() => command(place, 'new', name), /is there already|is no name/)
  assert.match(command(place, 'list'), /fresh .*index\.ts {2}serves the folder\nold /)
  assert.throws(() => command(place, 'logs', 'old'), /old has logged nothing/)
  assert.throws(() => command(place, 'logs', 'nothere'), /there is no function nothere: the project has fresh, old/)
  assert.throws(() => command(place, 'rollback', 'old'), /no earlier version/)
  assert.match(command(place, 'deploy', 'old'), /old: version 1/)
  writeFileSync(join(place.project, 'functions/old/index.ts'), 'Deno.serve(() => new Response("code of the folder"));')

  let running = await start(place, { environment })
  assert.equal(await text('old', place), 'deployed code')
  const fresh = await fetch(`${place.url}/functions/v1/fresh`, { method: 'POST', body: JSON.stringify({ name: 'Eilidh' }) })
  assert.equal(fresh.status, 200)
  assert.match(await fresh.text(), /Eilidh/)
  // Sends the requests that a browser sends for a web app on another origin, and bodies that a client may send by mistake.
  const asked = { origin: 'https://app.example', 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,content-type' }
  const preflight = await fetch(`${place.url}/functions/v1/fresh`, { method: 'OPTIONS', headers: asked })
  assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [200, '*'])
  assert.match(preflight.headers.get('access-control-allow-headers'), /authorization.*content-type/)
  for (const body of ['', 'null', '[]', '{"name":5}']) {
    const refused = await fetch(`${place.url}/functions/v1/fresh`, { method: 'POST', body })
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [400, '*'], body)
  }
  assert.match(command(place, 'logs', 'old'), /booted \(time: \d+ms\)[^]*info .*hello from the start|hello from the start[^]*booted/)
  await running.stop()

  const serving = spawn(binary, ['functions', 'serve', '--project', place.project, '--data', place.data], { env: { ...process.env, ...environment }, stdio: 'ignore' })
  const ended = new Promise((done) => serving.once('exit', done))
  try {
    await eventually(() => healthy(place.url), 'it serves')
    assert.equal(await text('old', place), 'code of the folder')
  } finally {
    serving.kill('SIGTERM')
    await ended
    await running.remove()
  }
})

test('a program that stops notifies its workers, and leaves none running', async () => {
  const place = await startProject({ from: null, files: { 'functions/brief/index.ts': functions.brief }, environment, change: (config) => config + open(['brief']) })
  await text('brief', place)
  await place.stop()
  assert.match(place.output(), /unloading because of termination/)
  assert.deepEqual(workers('brief', place), [])
  await place.remove()
})

test('the commands report that a project has no functions', async () => {
  const place = await makeProject({ from: null })
  const run = (command) => spawnSync(binary, ['functions', command, '--project', place.project, '--data', place.data], { encoding: 'utf8', env: { ...process.env, ...environment } })
  const none = `there are no functions in ${join(place.project, 'functions')}; \`cloch functions new NAME\` makes one`
  for (const command of ['list', 'cache']) {
    const { status, stdout, stderr } = run(command)
    assert.deepEqual([status, stdout], [0, `${none}\n`], stderr)
  }
  const deployed = run('deploy')
  assert.equal(deployed.status, 1)
  assert.ok(deployed.stderr.includes(`nothing is deployed: ${none}`), deployed.stderr)
  removePlace(place)
})
