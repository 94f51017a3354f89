/** Resumable uploads (TUS): metadata, lengths, headers and identifiers that are odd or wrong. */
import { base64 } from '../client.mjs'
import { makeUploader, metadataOf, ROOT, VERSION } from './tus.mjs'

const FIELDS = [
  ...['ü', 'a//b', '../x', '/x', 'x/', '', 'a b', 'x'.repeat(200)].map((objectName) => ({ objectName })),
  ...['garbage', '', null, 'image/png', 'text/html; charset=utf-8'].map((contentType) => ({ contentType })),
  ...['abc', '-1', 'max-age=5', '0', ''].map((cacheControl) => ({ cacheControl })),
  ...['{}', '{"a":"ü"}', ''].map((metadata) => ({ metadata })),
  ...['none', ''].map((bucketName) => ({ bucketName })),
  { filename: 'x.png', filetype: 'image/png' },
]
const HEADERS = [
  '',
  'bucketName',
  'objectName',
  'bucketName !!!,objectName eA==',
  'garbage,,',
  'bucketName b3du,objectName',
  null,
]
const LENGTHS = ['-1', 'x', '1.5', '', '99999999999999999999', '52428801', '1e3', ' 3', null]
const BOTTOM = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }

export async function tusMetadata(server) {
  await server.bucket('own-tus-meta')
  const { create, chunk, head, look } = makeUploader(server, 'own-tus-meta')
  for (const [at, fields] of FIELDS.entries()) {
    const label = JSON.stringify(fields)
    const path = await create(`file-${at}`, 3, { fields, label: `create ${label}` })
    if (path === undefined) continue
    await head(label, path)
    await chunk(label, path, 0, 'abc')
    await look(encodeURIComponent(fields.objectName ?? `file-${at}`))
  }
  for (const value of HEADERS)
    await create('x', 3, { headers: { 'upload-metadata': value }, label: `Upload-Metadata: ${value}` })
  await server.objectRows('own-tus-meta')
}

export async function tusLengths(server) {
  await server.bucket('own-tus-length', { file_size_limit: 1000 })
  const { create, chunk, head } = makeUploader(server, 'own-tus-length')
  for (const length of LENGTHS) await create('length', length, { headers: { 'upload-length': length } })
  for (const length of [1000, 1001]) await create('limit', length)
  for (const defer of ['1', '2']) {
    await create('defer', 3, {
      headers: { 'upload-defer-length': defer },
      label: `with a length and Upload-Defer-Length: ${defer}`,
    })
    await create('defer', 3, {
      headers: { 'upload-length': null, 'upload-defer-length': defer },
      label: `Upload-Defer-Length: ${defer}`,
    })
  }
  const path = await create('deferred.txt', 0, {
    headers: { 'upload-length': null, 'upload-defer-length': '1' },
    label: 'create with a later length',
  })
  await head('without a length', path)
  await chunk('without a length', path, 0, 'ab')
  await head('after two bytes', path)
  await chunk('with a length', path, 2, 'cd', { 'upload-length': '4' })
  await server.objectRows('own-tus-length')
}

export async function tusHeaders(server) {
  await server.bucket('own-tus-headers')
  const { create, on, chunk, head } = makeUploader(server, 'own-tus-headers')
  for (const headers of [
    { 'tus-resumable': null },
    { 'tus-resumable': '0.2.2' },
    { 'upload-concat': 'partial' },
    { 'upload-concat': 'final;/x' },
  ]) {
    await create('headers', 3, { headers, label: `create ${JSON.stringify(headers)}` })
  }
  const path = await create('chunk.txt', 6)
  const wrong = [
    { 'upload-offset': null },
    { 'upload-offset': 'x' },
    { 'upload-offset': '-1' },
    { 'upload-offset': '1.5' },
    { 'content-type': 'text/plain' },
    { 'content-type': null },
    { 'tus-resumable': null },
  ]
  for (const headers of wrong) {
    await chunk(JSON.stringify(headers), path, 0, 'ab', headers)
    await head(`after ${JSON.stringify(headers)}`, path)
  }
  for (const version of [null, '9']) await on(`Tus-Resumable: ${version}`, 'HEAD', path, { 'tus-resumable': version })
  for (const method of ['GET', 'PUT', 'OPTIONS']) await on('an upload', method, path)
  for (const token of ['otherUser', 'anon', 'service']) await head(`as ${token}`, path, { token })
}

export async function tusCallers(server) {
  await server.bucket('own-tus-callers')
  const { create } = makeUploader(server, 'own-tus-callers')
  for (const token of ['anon', 'otherUser', 'service', 'foreign', 'expired', 'garbage'])
    await create(`of-${token}`, 3, { token })
}

export async function tusIdentifiers(server) {
  const ids = [
    'none',
    'x'.repeat(50),
    ...['own/x', '../../etc/passwd'].map((text) => Buffer.from(text).toString('base64url')),
    'a/b',
    '..',
  ]
  for (const id of ids) {
    for (const method of ['HEAD', 'PATCH', 'DELETE', 'GET']) {
      const chunk = method === 'PATCH'
      await server.send({
        method,
        path: `${ROOT}/${id}`,
        headers: { ...VERSION, ...(chunk && BOTTOM) },
        body: chunk ? 'x' : undefined,
        token: 'user',
      })
    }
  }
  const headers = {
    ...VERSION,
    'upload-length': '3',
    'upload-metadata': `${metadataOf({ bucketName: 'none' })},objectName ${base64('x')}`,
  }
  await server.send({ method: 'POST', path: ROOT, headers, token: 'user', label: 'create in a bucket that does not exist' })
  for (const method of ['OPTIONS', 'GET', 'HEAD', 'DELETE'])
    await server.send({ method, path: ROOT, headers: VERSION, token: 'user' })
}
