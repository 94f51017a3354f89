/** A second upload to the same name. */
import { base64 } from '../client.mjs'

export async function overwriting(server) {
  await server.bucket('over')
  const look = async () => {
    await server.send({ path: '/object/info/over/a.txt' })
    await server.send({ path: '/object/over/a.txt' })
    await server.objectRows('over')
  }
  const upload = (method, body, headers = {}) =>
    server.send({ method, path: '/object/over/a.txt', body, headers: { 'content-type': 'text/plain', ...headers } })
  await upload('PUT', 'missing')
  await upload('POST', 'first', { 'x-metadata': base64('{"first":true}'), 'cache-control': 'max-age=1' })
  await look()
  await upload('POST', 'refused')
  await upload('POST', 'second', { 'x-upsert': 'true' })
  await look()
  await upload('PUT', 'third', { 'content-type': 'text/html', 'x-metadata': base64('{"third":true}') })
  await look()
  await upload('PUT', 'fourth', { 'x-upsert': 'false' })
  await look()
  await server.send({
    method: 'PUT',
    path: '/object/over/a.txt',
    form: [
      { name: 'cacheControl', value: '9' },
      { name: '', filename: 'a', type: 'image/gif', value: 'GIF89a' },
    ],
  })
  await look()
}

export async function missingBuckets(server) {
  for (const token of ['service', 'user', 'anon']) {
    for (const method of ['POST', 'PUT'])
      await server.send({ method, path: '/object/none/a.txt', body: 'x', headers: { 'content-type': 'text/plain' }, token })
  }
}
