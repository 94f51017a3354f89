/**
 * Storage: compares downloads with nginx, which serves the same file. Compares uploads with the disk's own rate of write and fsync, and with
 * nginx's PUT, which computes no checksum, checks no permission and does not sync. Measures alternately, and prints the ratios of the medians.
 *
 * Run it against a release build: CLOCH_TEST_PROGRAM=target/release/cloch node bench/storage.mjs
 *   [--rounds 5] [--seconds 2] [--only download,upload]
 *   [--peer http://host:5000 --peer-key KEY]   another running server with the same API
 *   [--before PROGRAM]   another build of Cloch with a separate project, measured in place of nginx and the disk; the goal is then 1
 */
import { execFile, spawn } from 'node:child_process'
import { createHmac, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { freePort, sleep, startProject } from '../tests/support/program.mjs'
import { record } from './record.mjs'

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : process.argv[at + 1]
}
const rounds = Number(option('rounds', 5))
const seconds = option('seconds', '2')
const only = option('only', 'download,upload').split(',')
const before = option('before')
const target = process.env.CARGO_TARGET_DIR ?? join(import.meta.dirname, '../target')
const load = process.env.CLOCH_LOAD_BIN ?? join(target, 'release/examples/load')
const run = promisify(execFile)

const files = { '10 KB': randomBytes(10 * 1024), '5 MB': randomBytes(5 * 1024 * 1024) }
const folder = mkdtempSync(join(tmpdir(), 'cloch-bench-'))
const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
const megabytes = (pid, what = 'VmRSS') => Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024

/** Starts nginx (Debian's package) with one file of each size. If nginx has the WebDAV module, PUT is enabled. */
async function startNginx() {
  const port = await freePort()
  const takes = await run('nginx', ['-V']).then(({ stderr }) => stderr.includes('http_dav_module'), () => false)
  mkdirSync(join(folder, 'root'))
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, 'root', name.replace(' ', '')), bytes)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `worker_processes auto; pid ${folder}/nginx.pid; daemon off; error_log ${folder}/error.log;
     events { worker_connections 1024; }
     http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 10000000; default_type application/octet-stream;
            client_max_body_size 16m; client_body_buffer_size 128k;
            client_body_temp_path ${folder}/t1; proxy_temp_path ${folder}/t2; fastcgi_temp_path ${folder}/t3;
            uwsgi_temp_path ${folder}/t4; scgi_temp_path ${folder}/t5;
            server { listen 127.0.0.1:${port}; root ${folder}/root; ${takes ? 'dav_methods PUT;' : ''} } }
     ${process.getuid() === 0 ? 'user root;' : ''}`,
  )
  const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' })
  child.once('error', () => {
    console.error('nginx is missing: apt-get install nginx-light')
    process.exit(1)
  })
  for (;;) {
    if (await fetch(`http://127.0.0.1:${port}/10KB`).then((answer) => answer.ok, () => false)) break
    await sleep(50)
  }
  return { port, takes, stop: () => child.kill() }
}

let written = 0
/** Writes a request, byte for byte, to a file for the load generator. */
function requestFile(method, path, headers = [], body = Buffer.alloc(0)) {
  const file = join(folder, `request-${(written += 1)}`)
  const length = method === 'GET' ? [] : [`content-length: ${body.length}`]
  const head = [`${method} ${path} HTTP/1.1`, 'host: bench', ...headers, ...length, '', ''].join('\r\n')
  writeFileSync(file, Buffer.concat([Buffer.from(head), body]))
  return file
}

/** Measures the requests per second over a number of connections to one port. */
const rate = async (port, connections, file, status = 200) => {
  const { stdout } = await run(load, [String(port), String(connections), seconds, file, String(status)])
  const said = JSON.parse(stdout)
  if (said.failures) throw new Error(`${said.failures} requests failed`)
  return said.per_second
}

/**
 * Measures the uploads per second of concurrent clients. Each client uses a different key, because uploads to the same key wait for each other's row
 * lock.
 */
async function uploadRate(port, clients, path, headers, body, status) {
  const each = Array.from({ length: clients }, (_, client) => rate(port, 1, requestFile('PUT', `${path}/client${client}`, headers, body), status))
  return (await Promise.all(each)).reduce((sum, one) => sum + one, 0)
}

/**
 * Measures the disk's own rate: the files per second that are written, synced and renamed, and whose folder is synced. As in the load generator, only
 * files count that begin after a warm-up.
 */
async function diskRate(clients, place, body) {
  const start = performance.now() + 300
  const end = start + Number(seconds) * 1000
  let count = 0
  const writer = async (number) => {
    for (let begun = 0; (begun = performance.now()) < end; count += begun >= start ? 1 : 0) {
      const [part, done] = [join(place, `${number}.part`), join(place, `${number}`)]
      const file = await open(part, 'w')
      await file.write(body)
      await file.sync()
      await file.close()
      await rename(part, done)
      const above = await open(place, 'r')
      await above.sync()
      await above.close()
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => writer(number)))
  return count / Number(seconds)
}

/** Measures two rates alternately. Prints the ratio of the first rate to the second one. */
async function compare(name, goal, ours, theirs, unit = '/s') {
  const seen = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round += 1)
    for (const who of round % 2 ? ['ours', 'theirs'] : ['theirs', 'ours']) seen[who].push(await (who === 'ours' ? ours : theirs)())
  const ratio = median(seen.ours) / median(seen.theirs)
  const figures = `${median(seen.theirs).toFixed(0).padStart(7)}${unit} -> ${median(seen.ours).toFixed(0).padStart(7)}${unit}`
  const peer = before ? 'before' : name.includes('disk') ? 'the disk' : name.includes('nginx') ? 'nginx' : 'the peer'
  record({ group: 'Files', name, unit: 'requests/s', value: median(seen.ours), peer: { name: peer, value: median(seen.theirs) } })
  console.log(`${name.padEnd(34)} ${figures}   x ${ratio.toFixed(2)}${goal ? ` (goal ${goal})` : ''}`)
}

const jwt = (claims, secret) => {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

/**
 * Measures the same files and ways with this build and the earlier build, alternately. Both builds do all of the work, so the ratio compares the
 * builds only.
 */
async function compareBuilds({ size, name, bytes, connections, bearer, ask }) {
  await ask('PUT', `/object/bench/${name}`, bytes, `${earlier.url}/storage/v1`, earlier.serviceKey)
  const theirBearer = [`authorization: Bearer ${earlier.serviceKey}`, 'content-type: application/octet-stream']
  if (only.includes('download')) {
    const open = requestFile('GET', `/storage/v1/object/public/bench/${name}`)
    await compare(`download ${size}, public`, 1, () => rate(cloch.port, connections, open), () => rate(earlier.port, connections, open))
    const own = requestFile('GET', `/storage/v1/object/authenticated/bench/${name}`, bearer)
    const theirs = requestFile('GET', `/storage/v1/object/authenticated/bench/${name}`, theirBearer)
    await compare(`download ${size}, with a token`, 1, () => rate(cloch.port, connections, own), () => rate(earlier.port, connections, theirs))
  }
  if (only.includes('upload')) {
    for (const clients of [1, 4]) {
      const path = `/storage/v1/object/bench/${name}`
      await compare(`upload ${size}, ${clients} at once`, 1, () => uploadRate(cloch.port, clients, path, bearer, bytes), () => uploadRate(earlier.port, clients, path, theirBearer, bytes))
    }
  }
}

const cloch = await startProject({ from: null, environment: { CLOCH_LOG: 'warn' } })
const earlier = before && (await startProject({ from: null, environment: { CLOCH_LOG: 'warn' }, program: before }))
const nginx = before ? { takes: false, stop: () => {} } : await startNginx()
try {
  const bearer = [`authorization: Bearer ${cloch.serviceKey}`, 'content-type: application/octet-stream']
  const ask = (method, path, body, base = `${cloch.url}/storage/v1`, key = cloch.serviceKey) =>
    fetch(base + path, { method, body, headers: { authorization: `Bearer ${key}`, 'content-type': typeof body === 'string' ? 'application/json' : 'application/octet-stream' } }).then(async (answer) => {
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
      return answer.json()
    })
  const peer = option('peer') && new URL(option('peer'))
  const peerBearer = [`authorization: Bearer ${option('peer-key')}`, 'content-type: application/octet-stream']
  await ask('POST', '/bucket', JSON.stringify({ name: 'bench', public: true }))
  if (peer) await ask('POST', '/bucket', JSON.stringify({ name: 'bench', public: true }), peer.href.replace(/\/$/, ''), option('peer-key')).catch(() => {})
  if (earlier) await ask('POST', '/bucket', JSON.stringify({ name: 'bench', public: true }), `${earlier.url}/storage/v1`, earlier.serviceKey)
  console.log(`memory idle: ${megabytes(cloch.child.pid).toFixed(0)} MB${earlier ? `, before ${megabytes(earlier.child.pid).toFixed(0)} MB` : ''}`)

  for (const [size, bytes] of Object.entries(files)) {
    const name = size.replace(' ', '')
    await ask('PUT', `/object/bench/${name}`, bytes)
    const link = `/object/sign/bench/${name}?token=${jwt({ url: `bench/${name}`, scope: 'download', exp: 4102444800 }, cloch.keys.JWT_SECRET)}`
    const goals = size === '10 KB' ? { public: 0.7, signed: 0.5 } : { public: 1, signed: 1 }
    const connections = size === '10 KB' ? 32 : 8
    if (earlier) {
      await compareBuilds({ size, name, bytes, connections, bearer, ask })
      continue
    }
    if (only.includes('download')) {
      const plain = requestFile('GET', `/${name}`)
      for (const [way, path] of [['public', `/object/public/bench/${name}`], ['signed', link]]) {
        const file = requestFile('GET', `/storage/v1${path}`)
        await compare(`download ${size}, ${way}, to nginx`, goals[way], () => rate(cloch.port, connections, file), () => rate(nginx.port, connections, plain))
      }
      if (peer) {
        await ask('PUT', `/object/bench/${name}`, bytes, peer.href.replace(/\/$/, ''), option('peer-key'))
        const [own, theirs] = [`/storage/v1/object/public/bench/${name}`, `${peer.pathname.replace(/\/$/, '')}/object/public/bench/${name}`].map((path) => requestFile('GET', path))
        await compare(`download ${size}, public, to the peer`, 0, () => rate(cloch.port, connections, own), () => rate(Number(peer.port), connections, theirs))
      }
    }
    if (only.includes('upload')) {
      const place = join(cloch.data, 'bench')
      mkdirSync(place, { recursive: true })
      for (const clients of [1, 4]) {
        const goal = size === '5 MB' && clients === 4 ? 0.8 : 0
        await compare(`upload ${size}, ${clients} at once, to the disk`, goal, () => uploadRate(cloch.port, clients, `/storage/v1/object/bench/${name}`, bearer, bytes), () => diskRate(clients, place, bytes))
      }
      if (nginx.takes) {
        // nginx responds with 201 for a new file and with 204 for a replaced one. The load generator expects 204, so the files are created first.
        for (const client of [0, 1, 2, 3]) await fetch(`http://127.0.0.1:${nginx.port}/client${client}`, { method: 'PUT', body: bytes })
        await compare(`upload ${size}, 4 at once, to nginx's PUT`, 0, () => uploadRate(cloch.port, 4, `/storage/v1/object/bench/${name}`, bearer, bytes), () => uploadRate(nginx.port, 4, '', [], bytes, 204))
      }
      if (peer)
        await compare(`upload ${size}, 4 at once, to the peer`, 0, () => uploadRate(cloch.port, 4, `/storage/v1/object/bench/${name}`, bearer, bytes), () => uploadRate(Number(peer.port), 4, `${peer.pathname.replace(/\/$/, '')}/object/bench/${name}`, peerBearer, bytes))
    }
  }
  console.log(`memory at most: ${megabytes(cloch.child.pid, 'VmHWM').toFixed(0)} MB${earlier ? `, before ${megabytes(earlier.child.pid, 'VmHWM').toFixed(0)} MB` : ''}`)
} finally {
  nginx.stop()
  await cloch.remove()
  await earlier?.remove()
  rmSync(folder, { recursive: true, force: true })
}
