/**
 * Clients that upload files, unmodified, which npm installs for this run: Uppy in a browser, on a page of another origin; minio-js; the AWS SDK with
 * POST policies and checksums; and the multipart bodies that React Native sends.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'

import { chromium } from '@playwright/test'
import { createClient } from '@supabase/supabase-js'

import { checkTable } from '../clients/document.mjs'
import { installPackages } from '../support/npm_packages.mjs'
import { startProject } from '../support/program.mjs'

const versions = { uppy: '6.0.1', minio: '8.0.7', '@aws-sdk/client-s3': '3.1173.0', '@aws-sdk/s3-presigned-post': '3.1164.0', '@aws-sdk/lib-storage': '3.1173.0', bun: '1.4.4' }
const bun = `@oven/bun-${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
const policies = `
create policy "users use files" on storage.objects for all to authenticated using (bucket_id = 'files') with check (bucket_id = 'files');
create policy "users see the bucket" on storage.buckets for select to authenticated using (id = 'files');
`
const options = { auth: { persistSession: false, autoRefreshToken: false } }
const megabyte = 1024 * 1024
const results = []
let server, packages, service, session
before(async () => {
  packages = installPackages('upload-clients', Object.entries({ ...versions, [bun]: versions.bun }).map((entry) => entry.join('@')))
  server = await startProject({ from: null, files: { 'migrations/20260101000000_files.sql': policies } })
  service = createClient(server.url, server.serviceKey, options)
  good(await service.storage.createBucket('files'))
  const user = { email: 'ann@club.example', password: 'Greenock pier' }
  good(await service.auth.admin.createUser({ ...user, email_confirm: true }))
  ;({ session } = good(await createClient(server.url, server.anonKey, options).auth.signInWithPassword(user)))
})
after(async () => {
  await server?.remove()
  packages?.remove()
})

function good({ data, error }) {
  assert.equal(error, null, JSON.stringify(error))
  return data
}
const load = (name) => import(pathToFileURL(createRequire(join(packages.folder, 'package.json')).resolve(name)))
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex')
/** Returns the digest and the media type of a stored file, and its own metadata. */
async function stored(name) {
  const { contentType, metadata, cacheControl } = good(await service.storage.from('files').info(name))
  const bytes = Buffer.from(await good(await service.storage.from('files').download(name)).arrayBuffer())
  return { digest: digest(bytes), contentType, metadata, cacheControl }
}

/** The scenarios of one package. The row in the table contains what all of them have done. */
function scenarios(title, steps) {
  test(title, async (context) => {
    for (const [does, run] of Object.entries(steps)) await context.test(does, run)
    results.push([title, Object.keys(steps).join('; ')])
  })
}

/** Opens a page of another origin that has loaded Uppy, and runs a function there. */
async function inBrowser(run, argument) {
  const bundle = readFileSync(packages.program('uppy/dist/uppy.min.mjs'))
  const site = createServer((request, response) => {
    const isBundle = request.url === '/uppy.min.mjs'
    response.setHeader('content-type', isBundle ? 'text/javascript' : 'text/html')
    response.end(isBundle ? bundle : '<script type="module">import * as uppy from "./uppy.min.mjs"; window.uppy = uppy</script>')
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  const executablePath = process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find(existsSync)
  const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: process.getuid() === 0 ? ['--no-sandbox'] : [] })
  try {
    const page = await browser.newPage()
    const said = []
    page.on('console', (message) => said.push(message.text()))
    await page.goto(`http://127.0.0.1:${site.address().port}/`)
    await page.waitForFunction('window.uppy')
    return await page.evaluate(run, argument).catch((error) => assert.fail(`${error}\n${said.join('\n')}`))
  } finally {
    await browser.close()
    site.close()
  }
}
/** The bytes that the page uploads, as the page makes them. */
const pattern = (length) => Uint8Array.from({ length }, (_, at) => (at * 31) % 251)

scenarios(`\`uppy\` ${versions.uppy}`, {
  'Tus in a browser, with the options of the documentation of Supabase: a file of three parts, pause and resume, a refused file': async () => {
    const outcome = await inBrowser(
      async ({ url, anonKey, token }) => {
        const { Uppy, Tus } = window.uppy
        const uppy = new Uppy({ autoProceed: false })
        const bytes = Uint8Array.from({ length: 13_000_000 }, (_, at) => (at * 31) % 251)
        uppy.use(Tus, {
          endpoint: `${url}/storage/v1/upload/resumable`,
          headers: { authorization: `Bearer ${token}`, apikey: anonKey },
          uploadDataDuringCreation: true,
          chunkSize: 6 * 1024 * 1024,
          retryDelays: [],
          allowedMetaFields: ['bucketName', 'objectName', 'contentType', 'cacheControl', 'metadata'],
        })
        uppy.on('file-added', (file) => {
          const bucketName = file.name.startsWith('other') ? 'other' : 'files'
          uppy.setFileMeta(file.id, { bucketName, objectName: `uppy/${file.name}`, contentType: file.type, cacheControl: '60', metadata: JSON.stringify({ by: 'Ann' }) })
        })
        let paused = false
        uppy.on('upload-progress', (file, { bytesUploaded }) => {
          if (file.name !== 'large.bin' || paused || bytesUploaded < 7_000_000) return
          paused = true
          uppy.pauseResume(file.id)
          setTimeout(() => uppy.pauseResume(file.id), 300)
        })
        uppy.addFile({ name: 'large.bin', type: 'application/x-test', data: new Blob([bytes], { type: 'application/x-test' }) })
        uppy.addFile({ name: 'Ümläut 🚢.txt', type: 'text/plain', data: new Blob(['small'], { type: 'text/plain' }) })
        uppy.addFile({ name: 'empty.txt', type: 'text/plain', data: new Blob([], { type: 'text/plain' }) })
        uppy.addFile({ name: 'other.txt', type: 'text/plain', data: new Blob(['x'], { type: 'text/plain' }) })
        const { successful, failed } = await uppy.upload()
        return { paused, successful: successful.map(({ name }) => name).sort(), failed: failed.map(({ name, error }) => [name, error]) }
      },
      { url: server.url, anonKey: server.anonKey, token: session.access_token },
    )
    assert.equal(outcome.paused, true)
    assert.deepEqual(outcome.successful, ['empty.txt', 'large.bin'])
    assert.deepEqual(outcome.failed.map(([name]) => name).toSorted(), ['other.txt', 'Ümläut 🚢.txt'].toSorted())
    assert.match(outcome.failed.map(([, error]) => error).join('\n'), /Invalid key[\s\S]*|Bucket not found/)
    assert.deepEqual(await stored('uppy/large.bin'), { digest: digest(pattern(13_000_000)), contentType: 'application/x-test', metadata: { by: 'Ann' }, cacheControl: 'max-age=60' })
    assert.deepEqual(await stored('uppy/empty.txt'), { digest: digest(''), contentType: 'text/plain', metadata: { by: 'Ann' }, cacheControl: 'max-age=60' })
  },
  'AwsS3 in a browser: requests signed with the session of a user, in one part and in several': async () => {
    const outcome = await inBrowser(
      async ({ url, ref, anonKey, token, region }) => {
        const { Uppy, AwsS3 } = window.uppy
        const uppy = new Uppy()
        uppy.use(AwsS3, {
          s3Endpoint: `${url}/storage/v1/s3/files`,
          region,
          getCredentials: async () => ({ credentials: { accessKeyId: ref, secretAccessKey: anonKey, sessionToken: token }, region }),
          shouldUseMultipart: (file) => file.size > 1024 * 1024,
          getChunkSize: () => 5 * 1024 * 1024,
          generateObjectKey: (file) => `uppy-s3/${file.name}`,
        })
        uppy.addFile({ name: 'large.bin', type: 'application/x-test', data: new Blob([Uint8Array.from({ length: 13_000_000 }, (_, at) => (at * 31) % 251)]) })
        uppy.addFile({ name: 'small file+.txt', type: 'text/plain', data: new Blob(['small']) })
        const { successful, failed } = await uppy.upload()
        return { successful: successful.map(({ name, uploadURL }) => [name, uploadURL]).sort(), failed: failed.map(({ name, error }) => [name, error]) }
      },
      { url: server.url, ref: server.keys.PROJECT_REF, anonKey: server.anonKey, token: session.access_token, region: server.keys.S3_PROTOCOL_REGION },
    )
    assert.deepEqual(outcome.failed, [])
    assert.deepEqual(outcome.successful.map(([name]) => name), ['large.bin', 'small file+.txt'])
    assert.equal((await stored('uppy-s3/large.bin')).digest, digest(pattern(13_000_000)))
    assert.deepEqual([(await stored('uppy-s3/small file+.txt')).digest, (await stored('uppy-s3/small file+.txt')).contentType], [digest('small'), 'text/plain'])
  },
  'XHRUpload in a browser: a form, to the path of an object': async () => {
    const outcome = await inBrowser(
      async ({ url, anonKey, token }) => {
        const { Uppy, XHRUpload } = window.uppy
        const uppy = new Uppy()
        uppy.use(XHRUpload, { endpoint: `${url}/storage/v1/object/files/xhr/form.txt`, headers: { authorization: `Bearer ${token}`, apikey: anonKey, 'x-upsert': 'true' }, fieldName: 'file', allowedMetaFields: ['cacheControl', 'metadata'] })
        uppy.addFile({ name: 'form.txt', type: 'text/plain', data: new Blob(['form'], { type: 'text/plain' }), meta: { cacheControl: '60', metadata: '{"by":"Ann"}' } })
        const { successful, failed } = await uppy.upload()
        return { body: successful[0]?.response.body, failed: failed.map(({ error }) => error) }
      },
      { url: server.url, anonKey: server.anonKey, token: session.access_token },
    )
    assert.deepEqual([outcome.failed, outcome.body?.Key], [[], 'files/xhr/form.txt'])
    assert.deepEqual(await stored('xhr/form.txt'), { digest: digest('form'), contentType: 'text/plain', metadata: { by: 'Ann' }, cacheControl: 'max-age=60' })
  },
})

/** The library has no setting for the path of an endpoint. So, as an operator would, this gives S3 a host of its own: a proxy adds the path. */
async function s3Host() {
  const { hostname, port } = new URL(server.url)
  const proxy = createServer((asked, answer) => {
    const forwarded = httpRequest({ hostname, port, method: asked.method, path: `/storage/v1/s3${asked.url}`, headers: asked.headers }, (response) => {
      answer.writeHead(response.statusCode, response.headers)
      response.pipe(answer)
    })
    asked.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return proxy
}

const minio = {}
after(() => minio.proxy?.close())
scenarios(`\`minio\` ${versions.minio}`, {
  'buckets; uploads of buffers, files and streams in parts; metadata; partial downloads': async () => {
    const { Client } = await load('minio')
    const { S3_PROTOCOL_ACCESS_KEY_ID: accessKey, S3_PROTOCOL_ACCESS_KEY_SECRET: secretKey, S3_PROTOCOL_REGION: region } = server.keys
    minio.proxy = await s3Host()
    minio.client = new Client({ endPoint: '127.0.0.1', port: minio.proxy.address().port, useSSL: false, accessKey, secretKey, region, partSize: 5 * megabyte })
    const { client } = minio
    await client.makeBucket('by-minio')
    assert.deepEqual([await client.bucketExists('by-minio'), await client.bucketExists('none')], [true, false])
    assert.ok((await client.listBuckets()).some(({ name }) => name === 'by-minio'))
    minio.bytes = randomBytes(12 * megabyte + 3)
    const file = join(packages.folder, 'file.bin')
    writeFileSync(file, minio.bytes)
    await client.putObject('by-minio', 'a/buffer.txt', 'hello', { 'content-type': 'text/plain', 'x-amz-meta-by': 'Ann' })
    await client.putObject('by-minio', 'a/stream.bin', Readable.from(minio.bytes))
    await client.fPutObject('by-minio', 'a/file.bin', file, { 'Content-Type': 'application/x-test' })
    const details = await client.statObject('by-minio', 'a/buffer.txt')
    assert.deepEqual([details.size, details.metaData['content-type'], details.metaData.by], [5, 'text/plain', 'Ann'])
    const read = async (stream) => Buffer.concat(await stream.toArray())
    minio.read = read
    for (const name of ['stream', 'file']) assert.equal(digest(await read(await client.getObject('by-minio', `a/${name}.bin`))), digest(minio.bytes))
    assert.equal((await read(await client.getPartialObject('by-minio', 'a/buffer.txt', 1, 3))).toString(), 'ell')
    await client.fGetObject('by-minio', 'a/file.bin', `${file}.read`)
    assert.equal(digest(readFileSync(`${file}.read`)), digest(minio.bytes))
  },
  'lists, copies, composed objects, presigned URLs, a POST policy, removal': async () => {
    const { client, read, bytes } = minio
    const list = async (...words) => (await client.listObjectsV2('by-minio', ...words).toArray()).map(({ name, prefix }) => name ?? prefix).toSorted()
    assert.deepEqual([await list('', true), await list('', false), await list('a/', true, 'a/f')], [['a/buffer.txt', 'a/file.bin', 'a/stream.bin'], ['a/'], ['a/file.bin', 'a/stream.bin']])
    assert.deepEqual((await client.listObjects('by-minio', 'a/', false).toArray()).length, 3)
    const { CopySourceOptions, CopyDestinationOptions, CopyConditions } = await load('minio')
    await client.copyObject('by-minio', 'copy.txt', '/by-minio/a/buffer.txt', new CopyConditions())
    await client.composeObject(new CopyDestinationOptions({ Bucket: 'by-minio', Object: 'both.bin' }), ['a/file.bin', 'a/buffer.txt'].map((Object) => new CopySourceOptions({ Bucket: 'by-minio', Object })))
    assert.equal(digest(await read(await client.getObject('by-minio', 'both.bin'))), digest(Buffer.concat([bytes, Buffer.from('hello')])))
    const put = await fetch(await client.presignedPutObject('by-minio', 'put.txt', 60), { method: 'PUT', body: 'put' })
    assert.equal(put.status, 200)
    assert.equal(await (await fetch(await client.presignedGetObject('by-minio', 'put.txt', 60))).text(), 'put')
    const policy = client.newPostPolicy()
    policy.setBucket('by-minio')
    policy.setKeyStartsWith('posted/')
    policy.setExpires(new Date(Date.now() + 60_000))
    policy.setContentLengthRange(1, 100)
    const { postURL, formData } = await client.presignedPostPolicy(policy)
    const post = (key, text) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ ...formData, key })) form.append(name, value)
      form.append('file', new Blob([text]), 'f.txt')
      return fetch(postURL, { method: 'POST', body: form })
    }
    assert.ok((await post('posted/one', 'posted')).ok)
    assert.equal((await post('elsewhere', 'posted')).status, 403)
    assert.equal((await post('posted/two', 'x'.repeat(101))).status, 413)
    assert.deepEqual(await list('posted/', true), ['posted/one'])
    await client.removeObject('by-minio', 'copy.txt')
    await assert.rejects(client.statObject('by-minio', 'copy.txt'), { code: 'NotFound' })
    await client.removeObjects('by-minio', await list('', true))
    assert.deepEqual(await list('', true), [])
    await client.removeBucket('by-minio')
  },
})

const checksums = { CRC32: 'ChecksumCRC32', CRC32C: 'ChecksumCRC32C', CRC64NVME: 'ChecksumCRC64NVME', SHA1: 'ChecksumSHA1', SHA256: 'ChecksumSHA256' }
scenarios(`\`@aws-sdk/client-s3\` ${versions['@aws-sdk/client-s3']}`, {
  'uploads with each checksum, in one part and in several; a wrong checksum; downloads that check it': async () => {
    const sdk = await load('@aws-sdk/client-s3')
    const { Upload } = await load('@aws-sdk/lib-storage')
    const credentials = { accessKeyId: server.keys.PROJECT_REF, secretAccessKey: server.anonKey, sessionToken: session.access_token }
    const client = new sdk.S3Client({ endpoint: server.keys.STORAGE_S3_URL, region: server.keys.S3_PROTOCOL_REGION, forcePathStyle: true, maxAttempts: 1, credentials })
    const send = (name, input) => client.send(new sdk[`${name}Command`]({ Bucket: 'files', ...input }))
    const bytes = randomBytes(6 * megabyte)
    for (const [ChecksumAlgorithm, field] of Object.entries(checksums)) {
      const Key = `sums/${ChecksumAlgorithm}`
      const one = await send('PutObject', { Key, Body: 'hello', ChecksumAlgorithm })
      assert.ok(one[field], `${field} of ${JSON.stringify(one)}`)
      const read = await send('GetObject', { Key, ChecksumMode: 'ENABLED' })
      assert.deepEqual([read[field], await read.Body.transformToString()], [one[field], 'hello'])
      const parts = await new Upload({ client, params: { Bucket: 'files', Key: `${Key}-parts`, Body: bytes, ChecksumAlgorithm }, partSize: 5 * megabyte }).done()
      assert.ok(parts[field] ?? parts.ETag, JSON.stringify(parts))
      const whole = await send('GetObject', { Key: `${Key}-parts`, ChecksumMode: 'ENABLED' })
      assert.equal(digest(Buffer.from(await whole.Body.transformToByteArray())), digest(bytes))
    }
    await assert.rejects(send('PutObject', { Key: 'sums/wrong', Body: 'hello', ChecksumSHA256: Buffer.alloc(32).toString('base64') }), /BadDigest|InvalidRequest|XAmzContentSHA256Mismatch|checksum/i)
    await assert.rejects(send('HeadObject', { Key: 'sums/wrong' }), { name: 'NotFound' })
  },
  'POST policies (`@aws-sdk/s3-presigned-post`)': async () => {
    const { S3Client } = await load('@aws-sdk/client-s3')
    const { createPresignedPost } = await load('@aws-sdk/s3-presigned-post')
    const { S3_PROTOCOL_ACCESS_KEY_ID: accessKeyId, S3_PROTOCOL_ACCESS_KEY_SECRET: secretAccessKey, S3_PROTOCOL_REGION: region, STORAGE_S3_URL: endpoint } = server.keys
    const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } })
    const { url, fields } = await createPresignedPost(client, { Bucket: 'files', Key: 'policy/${filename}', Conditions: [['content-length-range', 1, 10], ['starts-with', '$Content-Type', 'text/'], { success_action_status: '201' }], Fields: { success_action_status: '201' }, Expires: 60 })
    const post = (text, type) => {
      const form = new FormData()
      for (const [name, value] of Object.entries({ ...fields, 'Content-Type': type })) form.append(name, value)
      form.append('file', new Blob([text]), 'page.txt')
      return fetch(url, { method: 'POST', body: form })
    }
    const answer = await post('posted', 'text/plain')
    assert.deepEqual([answer.status, /<Key>policy\/page\.txt<\/Key>/.test(await answer.text())], [201, true])
    assert.deepEqual([(await post('posted', 'image/png')).status, (await post('x'.repeat(11), 'text/plain')).status], [403, 413])
    assert.equal((await stored('policy/page.txt')).contentType, 'text/plain')
  },
})

scenarios(`\`bun\` ${versions.bun}`, {
  '`Bun.S3Client`: write, a writer of parts, read, slice, stat, list, presigned downloads and uploads, delete': async () => {
    const program = join(packages.folder, 'bun_s3.mjs')
    copyFileSync(join(import.meta.dirname, '../clients/runtimes/bun_s3.mjs'), program)
    const { S3_PROTOCOL_ACCESS_KEY_ID: accessKeyId, S3_PROTOCOL_ACCESS_KEY_SECRET: secretAccessKey, S3_PROTOCOL_REGION: region, STORAGE_S3_URL: endpoint } = server.keys
    const settings = JSON.stringify({ accessKeyId, secretAccessKey, region, endpoint, bucket: 'files' })
    const { status, stdout, stderr } = spawnSync(packages.program(`${bun}/bin/bun`), ['run', program, settings], { cwd: packages.folder, env: packages.environment, encoding: 'utf8', timeout: 60_000 })
    assert.deepEqual([status, stdout], [0, 'right\n'], stderr)
    assert.equal((await stored('bun/large.bin')).digest, digest(pattern(13_000_000)))
  },
})

/** The parts as React Native writes them: iOS (RCTNetworking) and Android (OkHttp), with the headers that FormData of React Native makes. */
const natives = {
  iOS: (boundary, [name, value, file]) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file ? `; filename="${file.name}"; filename*=utf-8''${encodeURIComponent(file.name)}\r\ncontent-type: ${file.type}` : ''}\r\n\r\n${value}\r\n`,
  Android: (boundary, [name, value, file]) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file ? `; filename="${file.name}"; filename*=utf-8''${encodeURIComponent(file.name)}\r\nContent-Type: ${file.type}` : ''}\r\nContent-Length: ${Buffer.byteLength(value)}\r\n\r\n${value}\r\n`,
}
scenarios('React Native (the bodies that it sends)', {
  'a form with `{ uri, name, type }`, from iOS and Android': async () => {
    for (const [system, part] of Object.entries(natives)) {
      const boundary = system === 'iOS' ? 'OH6CpGQF4jJZ1bOUpJBSfC2PTSMi4OFxdLgBNfZ0' : '3ee8ac13-c3b4-42c3-8d8f-9cb34f1a3d4e'
      const body = [['cacheControl', '60'], ['metadata', '{"by":"Ann"}'], ['', `picture of ${system}`, { name: 'Foto ü.jpg', type: 'image/jpeg' }]].map((field) => part(boundary, field)).join('') + `--${boundary}--\r\n`
      const headers = { authorization: `Bearer ${session.access_token}`, apikey: server.anonKey, 'content-type': `multipart/form-data; boundary=${boundary}`, 'x-upsert': 'false' }
      const answer = await fetch(`${server.url}/storage/v1/object/files/native/${system}.jpg`, { method: 'POST', headers, body })
      assert.equal(answer.status, 200, await answer.text())
      assert.deepEqual(await stored(`native/${system}.jpg`), { digest: digest(`picture of ${system}`), contentType: 'image/jpeg', metadata: { by: 'Ann' }, cacheControl: 'max-age=60' })
    }
  },
})

test('docs/clients.md shows what works', () => checkTable('upload-clients', ['package', 'what works'], results))
