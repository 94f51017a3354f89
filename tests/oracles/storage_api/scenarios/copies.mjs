/** Copies and moves. */
import { base64 } from '../client.mjs'
import { VALUES, withField } from './values.mjs'

async function makeSource(server, bucket) {
  await server.bucket(bucket)
  await server.file(bucket, 'source.txt', 'source', {
    'cache-control': 'max-age=5',
    'x-metadata': base64('{"m":1}'),
    'content-type': 'text/html',
  })
}

const BODIES = [
  {},
  { copyMetadata: false },
  { metadata: { mimetype: 'image/png' } },
  { metadata: { cacheControl: 'max-age=9' } },
  { copyMetadata: false, metadata: { cacheControl: 'max-age=9' } },
  { metadata: {} },
  { metadata: { foo: 'x' } },
  { metadata: { cacheControl: '60' } },
  { metadata: { cacheControl: 60 } },
  { metadata: { size: 1, eTag: 'x' } },
  { copyMetadata: true, metadata: { mimetype: 'image/png', cacheControl: 'no-cache' } },
]

export async function copies(server) {
  await makeSource(server, 'copies')
  await server.bucket('copies-target')
  const copy = (json, more = {}) =>
    server.send({
      method: 'POST',
      path: '/object/copy',
      json: { bucketId: 'copies', sourceKey: 'source.txt', ...json },
      ...more,
    })
  for (const [at, body] of BODIES.entries()) {
    await copy({ destinationKey: `copy-${at}`, ...body })
    await server.send({ path: `/object/info/copies/copy-${at}` })
    await server.send({ path: `/object/copies/copy-${at}` })
  }
  await copy({ destinationKey: 'copy-0' })
  await copy({ destinationKey: 'copy-0' }, { headers: { 'x-upsert': 'true' } })
  await copy({ destinationKey: 'source.txt' })
  await copy({ destinationKey: 'source.txt' }, { headers: { 'x-upsert': 'true' } })
  await copy({ destinationKey: 'custom' }, { headers: { 'x-metadata': base64('{"header":1}') } })
  await copy({ destinationKey: 'custom-only', copyMetadata: false }, { headers: { 'x-metadata': base64('{"header":1}') } })
  for (const destinationBucket of ['copies-target', 'none', '', 'copies'])
    await copy({ destinationKey: 'elsewhere', destinationBucket })
  await copy({ sourceKey: 'none', destinationKey: 'x' })
  await copy({ bucketId: 'none', destinationKey: 'x' })
  await server.objectRows('copies')
  await server.objectRows('copies-target')
}

export async function moves(server) {
  await makeSource(server, 'moves')
  await server.bucket('moves-target')
  const move = (sourceKey, destinationKey, more = {}) =>
    server.send({ method: 'POST', path: '/object/move', json: { bucketId: 'moves', sourceKey, destinationKey, ...more } })
  await move('source.txt', 'moved.txt')
  await server.send({ path: '/object/moves/source.txt' })
  await server.send({ path: '/object/info/moves/moved.txt' })
  await move('source.txt', 'again.txt')
  await move('moved.txt', 'moved.txt')
  await server.file('moves', 'other.txt', 'other')
  await move('moved.txt', 'other.txt')
  await server.send({ path: '/object/moves/other.txt' })
  await move('moved.txt', 'd/elsewhere.txt', { destinationBucket: 'moves-target' })
  await server.send({ path: '/object/moves-target/d/elsewhere.txt' })
  await move('other.txt', 'x', { destinationBucket: 'none' })
  await move('other.txt', 'x', { bucketId: 'none' })
  await move('none', 'x')
  await server.objectRows('moves')
  await server.objectRows('moves-target')
}

export async function copiesWithAnyValue(server) {
  await server.bucket('copy-values')
  const fields = {
    copy: [
      'bucketId',
      'sourceKey',
      'destinationKey',
      'destinationBucket',
      'copyMetadata',
      'metadata',
      'metadata.cacheControl',
      'metadata.mimetype',
    ],
    move: ['bucketId', 'sourceKey', 'destinationKey', 'destinationBucket'],
  }
  const base = { bucketId: 'copy-values', sourceKey: 'none', destinationKey: 'target' }
  for (const [route, names] of Object.entries(fields)) {
    for (const field of names) {
      for (const value of VALUES)
        await server.send({
          method: 'POST',
          path: `/object/${route}`,
          jsonText: withField(base, field, value),
          label: `${route} ${field} = ${value}`,
        })
    }
    for (const field of Object.keys(base)) {
      const { [field]: _, ...rest } = base
      await server.send({ method: 'POST', path: `/object/${route}`, json: rest, label: `${route} without ${field}` })
    }
  }
}

export async function copiesOfCallers(server) {
  await server.bucket('own-copies')
  await server.file('own-copies', 'user.txt', 'x', { token: 'user', 'x-upsert': 'false' })
  await server.file('own-copies', 'service.txt')
  for (const token of ['anon', 'otherUser', 'user']) {
    for (const sourceKey of ['user.txt', 'service.txt', 'none']) {
      await server.send({
        method: 'POST',
        path: '/object/copy',
        json: { bucketId: 'own-copies', sourceKey, destinationKey: `copy-${token}-${sourceKey}` },
        token,
      })
    }
    for (const sourceKey of ['user.txt', 'service.txt']) {
      await server.send({
        method: 'POST',
        path: '/object/move',
        json: { bucketId: 'own-copies', sourceKey, destinationKey: `moved-${token}-${sourceKey}` },
        token,
      })
    }
  }
  await server.objectRows('own-copies')
}
