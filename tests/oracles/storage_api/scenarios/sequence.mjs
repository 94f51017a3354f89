/** A random sequence of operations on few files, with a fixed seed. */
import { base64 } from '../client.mjs'
import { randomFrom } from '../../random.mjs'

const STEPS = 350
const BUCKETS = ['seq-a', 'own-seq', 'own-seq', 'own-seq-limits']
const KEYS = ['a', 'b', 'd/a', 'd/b', 'u/a', 'u/d/c', 'A', 'a_b', 'axb', 'p%25', 's%20p', 'z/z/z']
const CALLERS = ['service', 'service', 'user', 'user', 'otherUser', 'anon']
const BODIES = ['', 'x', 'hello world', 'y'.repeat(1200), 'GIF89a']

const operations = {
  upload: ({ of, bucket, key }) => ({
    method: of(['POST', 'POST', 'PUT']),
    path: `/object/${bucket}/${key}`,
    body: of(BODIES),
    headers: {
      'content-type': of(['text/plain', 'image/gif']),
      'x-upsert': of([null, 'true', 'false']),
      'cache-control': of([null, 'max-age=5']),
      'x-metadata': of([null, base64('{"a":1}')]),
    },
  }),
  form: ({ of, bucket, key }) => ({
    method: 'POST',
    path: `/object/${bucket}/${key}`,
    headers: { 'x-upsert': of(['true', null]) },
    form: [
      { name: 'cacheControl', value: of(['3600', '0']) },
      { name: '', filename: 'f', type: 'text/plain', value: of(BODIES) },
    ],
  }),
  read: ({ of, bucket, key }) => ({
    method: of(['GET', 'HEAD']),
    path: `/object/${of(['', 'authenticated/', 'public/'])}${bucket}/${key}`,
    headers: { range: of([null, null, 'bytes=0-2', 'bytes=-1']) },
  }),
  info: ({ bucket, key }) => ({ path: `/object/info/${bucket}/${key}` }),
  list: ({ of, bucket }) => ({
    method: 'POST',
    path: `/object/list/${bucket}`,
    json: {
      prefix: of(['', 'd', 'u', 'a_', '%']),
      limit: of([100, 2]),
      offset: of([0, 1]),
      sortBy: { column: 'name', order: 'asc' },
    },
  }),
  listV2: ({ of, bucket }) => ({
    method: 'POST',
    path: `/object/list-v2/${bucket}`,
    json: { prefix: of(['', 'd', 'u/', 'a_']), limit: of([100, 2]), with_delimiter: of([true, false]) },
  }),
  copy: ({ of, bucket, key }) => ({
    method: 'POST',
    path: '/object/copy',
    headers: { 'x-upsert': of([null, 'true']) },
    json: {
      bucketId: bucket,
      sourceKey: decodeURIComponent(key),
      destinationKey: decodeURIComponent(of(KEYS)),
      copyMetadata: of([true, false]),
    },
  }),
  move: ({ of, bucket, key }) => ({
    method: 'POST',
    path: '/object/move',
    json: { bucketId: bucket, sourceKey: decodeURIComponent(key), destinationKey: decodeURIComponent(of(KEYS)) },
  }),
  remove: ({ bucket, key }) => ({ method: 'DELETE', path: `/object/${bucket}/${key}` }),
  removeMany: ({ of, bucket, key }) => ({
    unordered: true,
    method: 'DELETE',
    path: `/object/${bucket}`,
    json: { prefixes: [key, of(KEYS)].map(decodeURIComponent) },
  }),
  sign: ({ bucket, key }) => ({ method: 'POST', path: `/object/sign/${bucket}/${key}`, json: { expiresIn: 60 } }),
  bucket: ({ of }) => ({ method: 'PUT', path: '/bucket/seq-a', json: of([{ public: true }, { public: false }]) }),
}

export async function randomSequence(server) {
  const random = randomFrom(11)
  for (const id of new Set(BUCKETS))
    await server.bucket(id, id.endsWith('limits') ? { file_size_limit: 1000, allowed_mime_types: ['text/plain'] } : {})
  const names = ['upload', 'upload', 'upload', ...Object.keys(operations)]
  for (let step = 1; step <= STEPS; step += 1) {
    const name = random.of(names)
    const request = operations[name]({ of: random.of, bucket: random.of(BUCKETS), key: random.of(KEYS) })
    const token = random.of(CALLERS)
    await server.send({ ...request, token, label: `${step} ${name} ${request.path} as ${token}` })
  }
  for (const id of new Set(BUCKETS)) await server.objectRows(id)
}
