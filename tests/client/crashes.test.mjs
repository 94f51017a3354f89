/**
 * The test kills the program again and again during uploads (in one request and in parts), overwrites, copies, moves and deletes. If a change was
 * acknowledged, its object must be complete, byte for byte. If not, the object must have the old or the new content. The sweep must delete everything
 * that remains of interrupted operations. CLOCH_TEST_KILL_OPERATIONS: number of operations.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { makeProject, sleep, start } from '../support/program.mjs'
import { askS3 } from '../support/s3.mjs'

const operations = Number(process.env.CLOCH_TEST_KILL_OPERATIONS ?? 80)
/** Maximum number of operations between two kills of the server. */
const between = 40
const workers = 6

let place, cloch
after(() => cloch?.remove())

const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
const ask = (method, path, { headers, body } = {}) =>
  fetch(`${place.url}/storage/v1${path}`, { method, body, headers: { authorization: `Bearer ${cloch.serviceKey}`, ...headers } })
const json = (value) => ({ body: JSON.stringify(value), headers: { 'content-type': 'application/json' } })

/**
 * The possible contents of each key, as digests; null means that there is no object. A key has one possible content, unless a kill has prevented a
 * response.
 */
const known = new Map()

/** Pairs of keys of moves that got no response, because the server was killed. The object is at one of the two keys. */
const moving = new Set()

/** Sends the request of an operation. `after`: the content of each changed key after the operation. */
async function operate(request, after) {
  const touched = Object.keys(after)
  // Until the response arrives, the key may have the old or the new content.
  for (const key of touched) known.set(key, [...(known.get(key) ?? [null]), after[key]])
  if (touched.length === 2) moving.add(touched)
  const answer = await request()
  await answer.arrayBuffer()
  assert.ok(answer.ok, `${answer.status} for ${touched}`)
  for (const key of touched) known.set(key, [after[key]])
  moving.delete(touched)
}

const upload = async (key) => {
  // The server writes small files at once and large files in batches, so the test uses both sizes.
  const bytes = randomBytes(randomInt(3) ? randomInt(20_000) : randomInt(3_000_000))
  await operate(() => ask('PUT', `/object/files/${key}`, { body: bytes, headers: { 'content-type': 'application/octet-stream' } }), {
    [key]: digest(bytes),
  })
}

/** Uploads an object in parts. Only the last step of the upload changes the object. */
const uploadInParts = async (key) => {
  const parts = Array.from({ length: 1 + randomInt(3) }, () => randomBytes(randomInt(1_000_000)))
  await operate(
    async () => {
      const begun = await (await askS3(cloch, 'POST', `/files/${key}?uploads`)).text()
      const id = /<UploadId>(.*)<\/UploadId>/.exec(begun)[1]
      const tags = await Promise.all(
        parts.map(async (body, index) => {
          const sent = await askS3(cloch, 'PUT', `/files/${key}?partNumber=${index + 1}&uploadId=${id}`, { body })
          assert.ok(sent.ok, `${sent.status}`)
          return `<Part><PartNumber>${index + 1}</PartNumber><ETag>${sent.headers.get('etag')}</ETag></Part>`
        }),
      )
      const body = `<CompleteMultipartUpload>${tags.join('')}</CompleteMultipartUpload>`
      return askS3(cloch, 'POST', `/files/${key}?uploadId=${id}`, { body })
    },
    { [key]: digest(Buffer.concat(parts)) },
  )
}

/** Aborts the multipart uploads that were not completed, as a client does that got no response. */
async function giveUpParts() {
  const listed = await (await askS3(cloch, 'GET', '/files?uploads')).text()
  for (const [, key, id] of listed.matchAll(/<Key>(.*?)<\/Key><UploadId>(.*?)<\/UploadId>/g)) {
    assert.ok((await askS3(cloch, 'DELETE', `/files/${key}?uploadId=${id}`)).ok)
  }
}

/**
 * Returns the next operation of a worker. Each worker uses keys that no other worker uses. If the state of a key is uncertain, the worker writes the
 * key again.
 */
async function next(worker) {
  const key = `${worker}/${randomInt(4)}`
  const holds = known.get(key) ?? [null]
  if (holds.length > 1 || holds[0] === null) return upload(key)
  const other = `${worker}/${4 + randomInt(4)}`
  const route = { bucketId: 'files', sourceKey: key, destinationKey: other }
  const free = (known.get(other) ?? [null]).every((held) => held === null)
  switch (randomInt(6)) {
    case 0:
      return operate(() => ask('DELETE', `/object/files/${key}`), { [key]: null })
    case 1:
      if (free) return operate(() => ask('POST', '/object/move', json(route)), { [key]: null, [other]: holds[0] })
      return operate(() => ask('DELETE', '/object/files', json({ prefixes: [other] })), { [other]: null })
    case 2: {
      const { body, headers } = json(route)
      return operate(() => ask('POST', '/object/copy', { body, headers: { ...headers, 'x-upsert': 'true' } }), { [other]: holds[0] })
    }
    case 3:
      return uploadInParts(key)
    default:
      return upload(key)
  }
}

/** Runs operations until the given number has begun, and kills the program during a random one of them. */
async function workAndKill(count) {
  let begun = 0
  const killAt = 1 + randomInt(count)
  let kill
  const killed = new Promise((resolve) => (kill = resolve)).then(() => cloch.kill())
  const loop = async (worker) => {
    while (begun < count) {
      begun += 1
      if (begun === killAt) sleep(randomInt(15)).then(kill)
      try {
        await next(worker)
      } catch (error) {
        // Broken connections are expected here. Failed assertions are not.
        if (error instanceof assert.AssertionError) throw error
        return
      }
    }
  }
  const loops = Promise.all(Array.from({ length: workers }, (_, worker) => loop(worker)))
  await Promise.all([loops, killed])
  return begun
}

async function verify() {
  for (const [key, possible] of known) {
    const answer = await ask('GET', `/object/files/${key}`)
    const body = Buffer.from(await answer.arrayBuffer())
    if (!answer.ok) assert.equal(JSON.parse(body).code, 'NoSuchKey', `${key} answers ${answer.status} ${body}`)
    const found = answer.ok ? digest(body) : null
    assert.ok(possible.includes(found), `${key} holds ${found}, not one of ${possible}`)
    if (answer.ok) assert.equal(Number(answer.headers.get('content-length')), body.length)
    known.set(key, [found])
  }
  for (const keys of moving) {
    assert.equal(keys.filter((key) => known.get(key)[0] !== null).length, 1, `${keys} after a move that was not answered`)
  }
  moving.clear()
}

const stored = () => readdirSync(join(place.data, 'objects'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

test('killed in the middle of everything', async () => {
  place = await makeProject({ from: null })
  cloch = await start(place)
  assert.ok((await ask('POST', '/bucket', json({ name: 'files' }))).ok)
  for (let done = 0; done < operations; ) {
    done += await workAndKill(Math.min(between, operations - done))
    cloch = await start(place)
    await verify()
  }

  await giveUpParts()
  // No request is running, so the sweep must delete all blobs that no row references.
  await cloch.stop()
  writeFileSync(join(place.project, 'cloch.toml'), '[storage]\nsweep_interval = 1\nsweep_grace = 0\n')
  cloch = await start(place)
  await verify()
  const held = [...known.values()].filter(([digest]) => digest !== null).length
  for (let attempt = 0; attempt < 300 && stored().length !== held; attempt += 1) await sleep(100)
  assert.equal(stored().length, held, `${stored().map((entry) => entry.name)}`)
  await verify()
})
