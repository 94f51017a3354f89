/**
 * Storage: uploads and downloads one very large object, over HTTP and in parts over the S3 protocol. The program stores it in files, or on an S3
 * server (another Cloch). Measures the program's memory meanwhile. Needs four times the object's size on the disk.
 *
 * Run it against a release build: CLOCH_TEST_PROGRAM=target/release/cloch node bench/large.mjs [--gigabytes 5]
 */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { Readable } from 'node:stream'

import { makeProject, start } from '../tests/support/program.mjs'
import { askS3 } from '../tests/support/s3.mjs'

const at = process.argv.indexOf('--gigabytes')
const gigabytes = at < 0 ? 5 : Number(process.argv[at + 1])
const PART = 16 * 1024 * 1024
const LANES = 4
const parts = Math.round((gigabytes * 1024 ** 3) / PART)
const size = parts * PART

/** The content of a part. No two parts of the object have the same content. */
const noise = randomBytes(PART)
const bytesOf = (number) => {
  const bytes = Buffer.from(noise)
  bytes.writeUInt32LE(number)
  return bytes
}
const digest = () => {
  const hash = createHash('sha1')
  for (let number = 0; number < parts; number += 1) hash.update(bytesOf(number))
  return hash.digest('hex')
}

const change = (config) => `${config}\n[storage]\nenabled = true\nfile_size_limit = "100GiB"\n`
const project = async (toml = '') => start(await makeProject({ from: null, change, files: { 'cloch.toml': toml } }), { environment: { CLOCH_LOG: 'warn' } })

/** Measures the peak memory of a process while `work` runs, in MB: all resident memory, and the part that does not belong to mapped files. */
async function watched(pid, work) {
  const most = { VmRSS: 0, RssAnon: 0 }
  const look = () => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    for (const name of Object.keys(most)) most[name] = Math.max(most[name], Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024)
  }
  const timer = setInterval(look, 100)
  try {
    const begun = performance.now()
    const result = await work()
    look()
    return { result, took: (performance.now() - begun) / 1000, most }
  } finally {
    clearInterval(timer)
  }
}

const upload = (cloch, path) =>
  new Promise((done, failed) => {
    const headers = { authorization: `Bearer ${cloch.serviceKey}`, 'content-type': 'application/octet-stream', 'content-length': size }
    const sent = request(`${cloch.url}/storage/v1/object${path}`, { method: 'POST', headers }, (answer) => {
      answer.resume()
      answer.on('end', () => (answer.statusCode === 200 ? done() : failed(new Error(`upload: ${answer.statusCode}`))))
    })
    sent.on('error', failed)
    Readable.from((function* all() {
      for (let number = 0; number < parts; number += 1) yield bytesOf(number)
    })()).pipe(sent)
  })

async function uploadParts(cloch, path) {
  const good = async (answer, what) => {
    if (!answer.ok) throw new Error(`${what}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  const begun = await good(await askS3(cloch, 'POST', `${path}?uploads=`), 'beginning')
  const id = /<UploadId>(.*?)<\/UploadId>/.exec(await begun.text())[1]
  const etags = []
  let next = 0
  const lane = async () => {
    while (next < parts) {
      const number = next++
      const sent = await good(await askS3(cloch, 'PUT', `${path}?partNumber=${number + 1}&uploadId=${id}`, { body: bytesOf(number) }), 'a part')
      etags[number] = sent.headers.get('etag')
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  const list = etags.map((etag, number) => `<Part><PartNumber>${number + 1}</PartNumber><ETag>${etag}</ETag></Part>`).join('')
  const body = `<CompleteMultipartUpload>${list}</CompleteMultipartUpload>`
  const text = await (await good(await askS3(cloch, 'POST', `${path}?uploadId=${id}`, { body }), 'completing')).text()
  if (text.includes('<Error>')) throw new Error(text)
}

const download = (cloch, path) =>
  new Promise((done, failed) => {
    const hash = createHash('sha1')
    const headers = { authorization: `Bearer ${cloch.serviceKey}` }
    const asked = request(`${cloch.url}/storage/v1/object/authenticated${path}`, { headers }, (answer) => {
      answer.on('data', (bytes) => hash.update(bytes))
      answer.on('end', () => done(hash.digest('hex')))
      answer.on('error', failed)
    })
    asked.on('error', failed)
    asked.end()
  })

const show = (name, { took, most }) =>
  console.log(`${name.padEnd(44)} ${took.toFixed(0).padStart(4)} s   ${(size / 1e6 / took).toFixed(0).padStart(5)} MB/s   at most ${most.VmRSS.toFixed(0)} MB (goal 100), ${most.RssAnon.toFixed(0)} MB of it no mapped file`)

async function measure(name, cloch) {
  const headers = { authorization: `Bearer ${cloch.serviceKey}`, 'content-type': 'application/json' }
  const ask = (method, path, body) => fetch(`${cloch.url}/storage/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
  await ask('POST', '/bucket', { name: 'large', file_size_limit: null })
  for (const [way, send, path] of [['HTTP', upload, '/large/http'], ['S3 in parts', uploadParts, '/large/parts']]) {
    show(`${name}: ${way}, up`, await watched(cloch.child.pid, () => send(cloch, path)))
    const down = await watched(cloch.child.pid, () => download(cloch, path))
    show(`${name}: ${way}, down`, down)
    if (down.result !== expected) throw new Error('other bytes came back')
    await ask('DELETE', `/object${path}`)
  }
}

const expected = digest()
console.log(`an object of ${(size / 1e9).toFixed(2)} GB`)
const files = await project()
try {
  await measure('files', files)
  const keys = files.keys
  const { hostname, port } = new URL(keys.STORAGE_S3_URL)
  await fetch(`${files.url}/storage/v1/bucket`, { method: 'POST', headers: { authorization: `Bearer ${files.serviceKey}`, 'content-type': 'application/json' }, body: '{"name":"store"}' })
  const over = await project(`[storage.s3]\nendpoint = "http://${hostname}:${port}/storage/v1/s3"\nregion = "${keys.S3_PROTOCOL_REGION}"\nbucket = "store"\naccess_key_id = "${keys.S3_PROTOCOL_ACCESS_KEY_ID}"\nsecret_access_key = "${keys.S3_PROTOCOL_ACCESS_KEY_SECRET}"\npath_style = true\n`)
  try {
    await measure('S3', over)
  } finally {
    await over.remove()
  }
} finally {
  await files.remove()
}
