/** The server disconnects clients that send or receive almost nothing after the configured time. Nothing of their requests remains. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { createClient } from '@supabase/supabase-js'

import { makeProject, start } from '../support/program.mjs'
import { until } from '../support/until.mjs'

const large = randomBytes(40 * 1024 * 1024)
let place, cloch, files, silent, elsewhere

before(async () => {
  place = await makeProject({ from: null, change: (config) => `${config}\n[functions.elsewhere]\nverify_jwt = false\n` })
  elsewhere = createServer((asked, answer) => asked.on('error', () => {}).resume().on('end', () => answer.end('{}')))
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
  const upstream = `upstream = "http://127.0.0.1:${elsewhere.address().port}"\ntimeout_seconds = 400\n`
  const server = '[server]\nslow_client_timeout = 2\nrequest_timeout = 600\n'
  writeFileSync(join(place.project, 'cloch.toml'), `${server}[functions.elsewhere]\n${upstream}`)
  cloch = await start(place)
  // These connections wait for their timeout while the other tests run.
  silent = ['', 'GET /health HT'].map(connection)
  silent.forEach((client) => client.read())
  const service = createClient(cloch.url, cloch.serviceKey, { auth: { persistSession: false } }).storage
  assert.equal((await service.createBucket('open', { public: true })).error, null)
  files = service.from('open')
  assert.equal((await files.upload('large.bin', large)).error, null)
})
after(() => {
  elsewhere?.close()
  return cloch?.remove()
})

/** Opens a connection and sends a text. `ended` resolves when the server has closed the connection. */
function connection(text) {
  const socket = connect(place.port, '127.0.0.1')
  let received = ''
  socket.on('error', () => {})
  socket.write(text)
  const ended = new Promise((done) => socket.once('close', () => done(received)))
  return { socket, ended, read: () => socket.on('data', (bytes) => (received += bytes.toString('latin1'))) }
}

const request = (method, path, headers) =>
  [`${method} /storage/v1${path} HTTP/1.1`, 'host: test', `authorization: Bearer ${cloch.serviceKey}`, ...headers, '', ''].join('\r\n')

/** Sends single bytes until the server closes the connection. Resolves with the server's response. */
async function drip(text) {
  const { socket, ended, read } = connection(text)
  read()
  const dripping = setInterval(() => socket.writable && socket.write('x'), 100)
  const answer = await ended
  clearInterval(dripping)
  return answer
}

/** Returns the files in the objects' folder that the program has opened. */
const openFiles = () =>
  readdirSync(`/proc/${cloch.child.pid}/fd`)
    .map((fd) => {
      try {
        return readlinkSync(`/proc/${cloch.child.pid}/fd/${fd}`)
      } catch {
        return ''
      }
    })
    .filter((path) => path.startsWith(join(place.data, 'objects')))

const stored = () => readdirSync(join(place.data, 'objects'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

test('a client that sends single bytes with pauses is disconnected, whatever it uploads', async () => {
  const tus = ['tus-resumable: 1.0.0', 'upload-length: 1000000', 'upload-metadata: bucketName b3Blbg==,objectName dHVz']
  await Promise.all([
    drip(request('POST', '/object/open/raw.bin', ['content-type: application/octet-stream', 'content-length: 1000000'])),
    drip(request('POST', '/object/open/list', ['content-type: application/json', 'content-length: 1000'])),
    drip(request('POST', '/object/list/open', ['content-type: application/json', 'content-length: 1000'])),
    drip(
      request('POST', '/object/open/form.bin', ['content-type: multipart/form-data; boundary=b', 'content-length: 1000000']) +
        '--b\r\ncontent-disposition: form-data; name=""; filename="f"\r\n\r\n',
    ),
    drip(request('POST', '/upload/resumable', [...tus, 'content-type: application/offset+octet-stream', 'content-length: 1000000'])),
  ])
  const { data } = await files.list()
  assert.deepEqual(data.map((entry) => entry.name), ['large.bin'])
  // The server keeps the unfinished resumable upload, which the client can continue later.
  await until(
    () => stored().every((entry) => !entry.name.endsWith('.part')) && stored().length <= 2,
    () => `left behind: ${stored().map((entry) => entry.name)}`,
  )
})

test('every API disconnects a client that sends single bytes with pauses', async () => {
  const bodies = ['/rest/v1/anything', '/auth/v1/token?grant_type=password', '/auth/v1/signup', '/realtime/v1/api/broadcast', '/functions/v1/elsewhere']
  const answers = bodies.map((path) =>
    drip([`POST ${path} HTTP/1.1`, 'host: test', `apikey: ${cloch.serviceKey}`, 'content-type: application/json', 'content-length: 1000', '', '{'].join('\r\n')),
  )
  for (const answer of await Promise.all(answers)) assert.match(answer, /^HTTP\/1.1 [45]/)
})

test('the server waits for clients that are still sending no longer than drain_timeout', async () => {
  const other = await makeProject({ from: null })
  writeFileSync(join(other.project, 'cloch.toml'), '[server]\nslow_client_timeout = 600\nrequest_timeout = 600\ndrain_timeout = 1\n')
  const program = await start(other)
  const head = (path) => [`POST ${path} HTTP/1.1`, 'host: test', `apikey: ${program.serviceKey}`, 'content-type: application/json', 'content-length: 1000']
  const sockets = ['/rest/v1/anything', '/auth/v1/signup'].map((path) => {
    const socket = connect(other.port, '127.0.0.1').on('error', () => {})
    socket.write([...head(path), 'expect: 100-continue', '', ''].join('\r\n'))
    return socket
  })
  // The server waits for the bodies of these requests.
  await Promise.all(sockets.map((socket) => once(socket, 'data')))
  assert.deepEqual(await program.stop(), { code: 0, signal: null })
  await program.remove()
})

for (const [what, reading] of [
  ['nothing', () => {}],
  ['a byte now and then', (socket) => setInterval(() => socket.read(1), 100)],
]) {
  test(`a client that reads ${what} is disconnected`, async () => {
    const waiting = Array.from({ length: 3 }, () => connection(request('GET', '/object/public/open/large.bin', [])))
    // When the listener is added, the socket reads a little and then waits.
    await Promise.all(waiting.map(({ socket }) => once(socket, 'readable')))
    const timers = waiting.map(({ socket }) => reading(socket))
    await until(() => openFiles().length === 0, () => `still open: ${openFiles()}`)
    timers.forEach(clearInterval)
    // The clients can still read what the operating system has buffered. The rest of the file never arrives.
    for (const client of waiting) {
      client.read()
      client.socket.resume()
    }
    for (const received of await Promise.all(waiting.map((client) => client.ended))) {
      assert.ok(received.length < large.length, `${received.length} bytes`)
    }
  })
}

test('a client that pauses between requests is served', async () => {
  const { data, error } = await files.download('large.bin')
  assert.equal(error, null)
  assert.ok(Buffer.from(await data.arrayBuffer()).equals(large))
})

test('a client that connects and sends no request is disconnected', async () => {
  assert.deepEqual(await Promise.all(silent.map((client) => client.ended)), ['', ''])
})
