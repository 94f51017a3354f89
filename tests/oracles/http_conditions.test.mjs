/**
 * Sends conditional requests and requests for ranges to public URLs, signed URLs and the S3 protocol. Compares the responses with the tables for RFC
 * 9110 (http_conditions.mjs) and with the responses of nginx. CLOCH_ORACLE_SEED repeats a run; CLOCH_ORACLE_STEPS: number of combinations.
 */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, test } from 'node:test'

import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'

import { startProject } from '../support/program.mjs'
import { decide, makeCases, noDates } from './http_conditions.mjs'
import { noNginx, startNginx } from './nginx.mjs'
import { randomFrom } from './random.mjs'

const random = randomFrom()
const cases = makeCases(random, Number(process.env.CLOCH_ORACLE_STEPS ?? 2400))
const FILES = { 'five.bin': Buffer.from('hello'), 'empty.bin': Buffer.alloc(0), 'large.bin': Buffer.from(Array.from({ length: 40_000 }, (_, at) => at % 251)) }

const agent = new Agent({ keepAlive: true, maxSockets: 4 })
let cloch, nginx
before(async () => {
  cloch = await startProject({ from: null })
  const headers = { authorization: `Bearer ${cloch.serviceKey}`, 'content-type': 'application/json' }
  const made = await fetch(`${cloch.url}/storage/v1/bucket`, { method: 'POST', headers, body: JSON.stringify({ name: 'files', public: true }) })
  assert.equal(made.status, 200)
  for (const [name, body] of Object.entries(FILES)) {
    const stored = await fetch(`${cloch.url}/storage/v1/object/files/${name}`, { method: 'POST', headers: { ...headers, 'content-type': 'application/octet-stream' }, body })
    assert.equal(stored.status, 200)
  }
  if (!noNginx) nginx = await startNginx(FILES)
})
after(async () => {
  agent.destroy()
  await nginx?.stop()
  await cloch?.remove()
})

/** Sends a request. If the server has closed the reused keep-alive connection, sends the request again. */
const send = (url, method, headers) => sendOnce(url, method, headers).catch((error) => (error.code === 'ECONNRESET' ? sendOnce(url, method, headers) : Promise.reject(error)))
const sendOnce = (url, method, headers) =>
  new Promise((done, failed) => {
    const sent = request(url, { method, headers, agent }, (answer) => {
      const chunks = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks) }))
      answer.on('error', failed)
    })
    sent.on('error', failed)
    sent.end()
  })

/** Returns the URLs of a file, for each way of access and each method. */
async function doorsOf(name) {
  const signed = await fetch(`${cloch.url}/storage/v1/object/sign/files/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cloch.serviceKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ expiresIn: 3600 }),
  })
  const link = `${cloch.url}/storage/v1${(await signed.json()).signedURL}`
  const { STORAGE_S3_URL: endpoint, S3_PROTOCOL_REGION: region, S3_PROTOCOL_ACCESS_KEY_ID: accessKeyId, S3_PROTOCOL_ACCESS_KEY_SECRET: secretAccessKey } = cloch.keys
  const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
  const presigned = (Command) => getSignedUrl(client, new Command({ Bucket: 'files', Key: name }), { expiresIn: 3600 })
  const open = `${cloch.url}/storage/v1/object/public/files/${name}`
  return {
    public: { GET: open, HEAD: open },
    signed: { GET: link, HEAD: link },
    s3: { GET: await presigned(GetObjectCommand), HEAD: await presigned(HeadObjectCommand) },
    ...(nginx && { nginx: { GET: `${nginx.url}/${name}`, HEAD: `${nginx.url}/${name}` } }),
  }
}

/** Returns the entity tag, date and size of the file, as one way of access returns them. */
async function seen(door, bytes) {
  const { headers } = await send(door.HEAD, 'HEAD', {})
  return { etag: headers.etag, modified: Date.parse(headers['last-modified']) / 1000, size: bytes.length }
}

/** For each file, its ways of access. */
const doorsByFile = {}
const filesByDoor = {}

const shown = (method, headers) => `${method} ${JSON.stringify(headers)}`

/** Known differences between Cloch and the tables, with reasons. */
const DIFFERENCES = [
  {
    why: "Amazon's HeadObject has ranges: the answer is that of a GET without its body",
    holds: ({ door, method }) => door === 's3' && method === 'HEAD',
    decide: (asked, file) => decide({ ...asked, method: 'GET' }, file),
  },
]

/** Known differences between nginx and the tables. */
const NGINX_DIFFERENCES = [
  { why: 'it looks at a date beside an entity tag (13.1.3, 13.1.4 say not to)', holds: ({ headers: h }) => (h['if-match'] !== undefined && h['if-unmodified-since'] !== undefined) || (h['if-none-match'] !== undefined && h['if-modified-since'] !== undefined) },
  { why: 'it refuses a date that is none with If-Unmodified-Since', holds: ({ headers: h }) => noDates.includes(h['if-unmodified-since']) },
  { why: 'it answers a HEAD with a range', holds: ({ method, headers: h }) => method === 'HEAD' && h.range !== undefined },
  { why: 'it serves several ranges, and refuses a set that is not valid', holds: ({ headers: h }) => h.range !== undefined && !/^bytes=(\d+-\d*|-\d+)$/.test(h.range) },
  { why: 'it refuses a last position before the first', holds: ({ headers: h }) => h.range === 'bytes=5-2' },
  { why: 'it ignores ranges of an empty file', holds: ({ file, headers: h }) => file.size === 0 && h.range !== undefined },
  { why: 'it has no number that large', holds: ({ headers: h }) => /\d{15}/.test(h.range ?? '') },
  { why: 'it takes If-Range with a tag that it cannot read for a date, or none', holds: ({ headers: h }) => h.range !== undefined && ['', 'soon', '*', '"0", "1"'].includes(h['if-range']) },
  { why: 'it reads lists of tags in its own way', holds: ({ headers: h }) => [h['if-match'], h['if-none-match']].some((value) => ['"never ends', '', ', ,'].includes(value)) },
]

function check(what, answer, expected, file, bytes, method) {
  assert.equal(answer.status, expected.status, what)
  const { headers, body } = answer
  if (expected.status === 206) {
    const [first, last] = expected.range
    assert.equal(headers['content-range'], `bytes ${first}-${last}/${file.size}`, what)
    assert.equal(headers['content-length'], String(last - first + 1), what)
    if (method === 'GET') assert.ok(body.equals(bytes.subarray(first, last + 1)), what)
  }
  if (expected.status === 200) {
    assert.equal(headers['content-range'], undefined, what)
    assert.equal(headers['content-length'], String(file.size), what)
    if (method === 'GET') assert.ok(body.equals(bytes), what)
  }
  if (expected.status === 304) assert.deepEqual([headers.etag, body.length], [file.etag, 0], what)
  if (expected.status === 416) assert.equal(headers['content-range'], `bytes */${file.size}`, what)
  if (method === 'HEAD') assert.equal(body.length, 0, what)
}

test('every endpoint decides as RFC 9110 requires', { timeout: 600_000 }, async (t) => {
  t.diagnostic(`seed ${random.seed}, ${cases.length} combinations`)
  const statuses = {}
  const faults = []
  let count = 0
  for (const [index, { method, headersFor }] of cases.entries()) {
    const name = Object.keys(FILES)[index % 3]
    doorsByFile[name] ??= await doorsOf(name)
    for (const door of ['public', 'signed', 's3']) {
      const bytes = FILES[name]
      const file = (filesByDoor[`${door} ${name}`] ??= await seen(doorsByFile[name][door], bytes))
      const headers = headersFor(file)
      const known = DIFFERENCES.find(({ holds }) => holds({ door, method, headers, file }))
      const expected = (known?.decide ?? decide)({ method, headers }, file)
      const answer = await send(doorsByFile[name][door][method], method, headers)
      try {
        check(`${door} ${name} ${shown(method, headers)}`, answer, expected, file, bytes, method)
      } catch (fault) {
        faults.push(`${fault.message} (${answer.status} instead of ${expected.status})`)
      }
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      count++
    }
  }
  assert.deepEqual(faults.slice(0, 20), [], `${faults.length} of ${count}`)
  t.diagnostic(`${count} answers: ${JSON.stringify(statuses)}`)
  for (const status of [200, 206, 304, 412, 416]) assert.ok(statuses[status] > 20, `${status} is rare`)
})
test('nginx has the same results, except for explained differences', { skip: noNginx, timeout: 600_000 }, async (t) => {
  const explained = {}
  const faults = []
  let same = 0
  for (const [index, { method, headersFor }] of cases.entries()) {
    const name = Object.keys(FILES)[index % 3]
    doorsByFile[name] ??= await doorsOf(name)
    const bytes = FILES[name]
    const answers = []
    for (const door of ['public', 'nginx']) {
      const file = (filesByDoor[`${door} ${name}`] ??= await seen(doorsByFile[name][door], bytes))
      const headers = headersFor(file)
      const { status, headers: { 'content-range': range }, body } = await send(doorsByFile[name][door][method], method, headers)
      answers.push({ file, headers, shown: [status, range, [200, 206].includes(status) ? body.toString('latin1') : ''] })
    }
    const [ours, theirs] = answers
    try {
      assert.deepEqual(ours.shown, theirs.shown)
      same++
    } catch {
      const known = NGINX_DIFFERENCES.find(({ holds }) => holds({ method, headers: theirs.headers, file: theirs.file }))
      if (known) explained[known.why] = (explained[known.why] ?? 0) + 1
      else faults.push(`${name} ${shown(method, ours.headers)}: ${ours.shown.slice(0, 2)}, nginx ${theirs.shown.slice(0, 2)}`)
    }
  }
  assert.deepEqual(faults.slice(0, 20), [], `${faults.length} of ${cases.length}`)
  t.diagnostic(`${same} of ${cases.length} are equal; ${JSON.stringify(explained)}`)
  assert.ok(same > cases.length / 2)
})
