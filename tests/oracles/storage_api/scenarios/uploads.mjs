/** Uploads of a raw body: headers, and what they make of the file. */
import { base64 } from '../client.mjs'

const HEADERS = [
  ...[
    null,
    '',
    'garbage',
    'image/png',
    'application/json',
    'application/octet-stream',
    '*/*',
    'application/x-www-form-urlencoded',
    'text/plain, text/html',
    'image/svg+xml',
  ].map((type) => ({ 'content-type': type })),
  ...['max-age=60', '60', 'no-cache', 'public, max-age=1', '', 'garbage'].map((value) => ({ 'cache-control': value })),
  ...['{"a":1,"b":"c"}', '{"a":"ü"}', '{"a":{"b":[1]}}', '{}'].map((value) => ({ 'x-metadata': base64(value) })),
  ...[base64('{"a":"x"}').replace(/=+$/, '')].map((value) => ({ 'x-metadata': value })),
  ...['true', 'TRUE', 'false', '1'].map((value) => ({ 'x-upsert': value })),
  ...['noindex', 'none, nofollow', 'bogus', 'all'].map((value) => ({ 'x-robots-tag': value })),
  { 'content-encoding': 'gzip' },
  { 'content-disposition': 'attachment' },
  { 'content-language': 'en' },
]

export async function uploadHeaders(server) {
  await server.bucket('headers')
  for (const [at, headers] of HEADERS.entries()) {
    const path = `headers/${at}.txt`
    await server.send({
      method: 'POST',
      path: `/object/${path}`,
      body: `file ${at}`,
      headers: { 'content-type': 'text/plain', ...headers },
    })
    await server.send({ path: `/object/info/${path}` })
    await server.send({ path: `/object/${path}` })
    await server.send({ method: 'HEAD', path: `/object/${path}` })
  }
  await server.objectRows('headers')
}

export async function uploadBodies(server) {
  await server.bucket('own-bodies')
  const type = { 'content-type': 'text/plain' }
  const uploads = {
    empty: { body: '', headers: type },
    none: { headers: type },
    untyped: {},
    chunked: { body: 'chunks', headers: type, chunked: true },
    typeless: { body: 'x' },
  }
  for (const [name, upload] of Object.entries(uploads)) {
    for (const method of ['POST', 'PUT']) {
      await server.send({ method, path: `/object/own-bodies/${name}`, ...upload })
      await server.send({ path: `/object/info/own-bodies/${name}` })
      await server.send({ path: `/object/own-bodies/${name}` })
    }
  }
  await server.send({ method: 'POST', path: '/object/own-bodies/mine', body: 'x', headers: type, token: 'user' })
  await server.objectRows('own-bodies')
}
