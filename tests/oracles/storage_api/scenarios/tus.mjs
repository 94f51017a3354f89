/** Resumable uploads (TUS): creation, chunks, offsets, conflicts, termination. */
import { base64 } from '../client.mjs'

export const ROOT = '/upload/resumable'
export const VERSION = { 'tus-resumable': '1.0.0' }
const CHUNK = 'application/offset+octet-stream'

/** Encodes the header Upload-Metadata. */
export const metadataOf = (fields) =>
  Object.entries(fields)
    .map(([name, value]) => (value === null ? name : `${name} ${base64(`${value}`)}`))
    .join(',')

/** Returns the path of a created upload, without the prefix of the gateway. */
export const pathOf = ({ headers }) =>
  headers.location === undefined ? undefined : new URL(headers.location).pathname.replace(/^\/storage\/v1/, '')

/** Returns the functions that create and continue uploads in a bucket, as a user. */
export function makeUploader(server, bucket, token = 'user') {
  const create = async (objectName, length, { fields = {}, headers = {}, ...more } = {}) => {
    const metadata = metadataOf({ bucketName: bucket, objectName, contentType: 'text/plain', ...fields })
    const all = { ...VERSION, 'upload-length': `${length}`, 'upload-metadata': metadata, ...headers }
    return pathOf(
      await server.send({
        method: 'POST',
        path: ROOT,
        headers: all,
        token,
        label: `create ${objectName} of ${length}`,
        ...more,
      }),
    )
  }
  const on = (label, method, path, headers = {}, more = {}) =>
    server.send({ method, path, headers: { ...VERSION, ...headers }, token, label: `${method}: ${label}`, ...more })
  const chunk = (label, path, offset, body, headers = {}, more = {}) =>
    on(label, 'PATCH', path, { 'content-type': CHUNK, 'upload-offset': `${offset}`, ...headers }, { body, ...more })
  const head = (label, path, more = {}) => on(label, 'HEAD', path, {}, more)
  const look = (key) => server.send({ path: `/object/info/${bucket}/${key}` })
  return { create, on, chunk, head, look }
}

export async function tusChunks(server) {
  await server.bucket('own-tus')
  const { create, chunk, head, look } = makeUploader(server, 'own-tus')
  const path = await create('chunks.txt', 10, { fields: { cacheControl: '60', metadata: '{"m":1}' } })
  await head('new', path)
  await chunk('the first bytes', path, 0, 'abc')
  await head('after three bytes', path)
  await chunk('again from 0', path, 0, 'abc')
  await chunk('after a gap', path, 9, 'abc')
  await chunk('nothing', path, 3, '')
  await chunk('one byte', path, 3, 'd')
  await look('chunks.txt')
  await chunk('the rest', path, 4, 'efghij')
  await head('complete', path)
  await look('chunks.txt')
  await server.send({ path: '/object/own-tus/chunks.txt' })
  await head('another length', await create('long.txt', 3))
  const long = await create('long.txt', 3)
  await chunk('more bytes than declared', long, 0, 'abcdef')
  await head('after more bytes than declared', long)
  const empty = await create('empty.txt', 0)
  await head('empty', empty)
  await look('empty.txt')
  await server.objectRows('own-tus')
}

export async function tusCreationWithUpload(server) {
  await server.bucket('own-tus-with')
  const { create, chunk, head, look } = makeUploader(server, 'own-tus-with')
  const withBody = (body) => ({ headers: { 'content-type': CHUNK }, body })
  await create('whole.txt', 3, withBody('abc'))
  await look('whole.txt')
  const half = await create('half.txt', 6, withBody('abc'))
  await head('half', half)
  await chunk('second half', half, 3, 'def')
  await look('half.txt')
  await create('too-long.txt', 2, withBody('abc'))
  await server.objectRows('own-tus-with')
}

export async function tusConflicts(server) {
  await server.bucket('own-tus-again')
  const { create, chunk, head, look } = makeUploader(server, 'own-tus-again')
  await chunk('first', await create('a.txt', 3), 0, 'one')
  await create('a.txt', 3)
  const upsert = { 'x-upsert': 'true' }
  const second = await create('a.txt', 4, { headers: upsert, label: 'create with x-upsert' })
  await chunk('with x-upsert', second, 0, 'four', upsert)
  await look('a.txt')
  const third = await create('a.txt', 5, { headers: upsert, label: 'create with x-upsert again' })
  await chunk('x-upsert only at the creation', third, 0, 'fives')
  await head('x-upsert only at the creation', third)
  await create('a.txt', 3, { token: 'otherUser', label: 'create as another user' })
  await create('a.txt', 3, { token: 'otherUser', headers: upsert, label: 'create with x-upsert as another user' })
  const [left, right] = [await create('race.txt', 2), await create('race.txt', 2)]
  await chunk('left', left, 0, 'le')
  await chunk('right', right, 0, 'ri')
  await server.send({ path: '/object/own-tus-again/race.txt' })
  await server.objectRows('own-tus-again')
}

export async function tusTermination(server) {
  await server.bucket('own-tus-end')
  const { create, on, chunk, head } = makeUploader(server, 'own-tus-end')
  const path = await create('ended.txt', 5)
  await chunk('two bytes', path, 0, 'ab')
  await on('as anon', 'DELETE', path, {}, { token: 'anon' })
  await on('as the user', 'DELETE', path)
  await head('terminated', path)
  await chunk('terminated', path, 2, 'cde')
  await on('again', 'DELETE', path)
  await chunk('after a termination', await create('ended.txt', 2), 0, 'ab')
  await server.objectRows('own-tus-end')
}

export async function tusSigned(server) {
  await server.bucket('own-tus-signed')
  const { json } = await server.prepare({ method: 'POST', path: '/object/upload/sign/own-tus-signed/a.txt', token: 'user' })
  const { on, chunk, head, look } = makeUploader(server, 'own-tus-signed', 'none')
  const create = (label, objectName, signature) => {
    const headers = {
      'upload-length': '3',
      'upload-metadata': metadataOf({ bucketName: 'own-tus-signed', objectName, contentType: 'text/plain' }),
      'x-signature': signature,
    }
    return on(label, 'POST', `${ROOT}/sign`, headers)
  }
  await create('without a signature', 'a.txt', null)
  await create('wrong signature', 'a.txt', 'bad')
  await create('signature of another file', 'b.txt', json.token)
  const path = pathOf(await create('signed', 'a.txt', json.token))
  await head('signed', path, { headers: { ...VERSION, 'x-signature': json.token } })
  await chunk('without a signature', path, 0, 'abc')
  await chunk('signed', path, 0, 'abc', { 'x-signature': json.token })
  await look('a.txt')
  await server.objectRows('own-tus-signed')
}
