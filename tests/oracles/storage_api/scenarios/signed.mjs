/** Signed URLs: creation of one and of many, and their use. */
import { sign } from '../client.mjs'
import { VALUES, withField } from './values.mjs'

const DOWNLOADS = [
  '',
  '&download',
  '&download=',
  '&download=a.txt',
  '&download=a%20b.txt',
  '&download=%C3%BC.txt',
  '&download=a%22b.txt',
  '&download=true',
  '&download=a;b',
  '&other=1',
]
const FAR = 4_102_444_800

async function makeFile(server, bucket) {
  await server.bucket(bucket)
  await server.prepare({
    method: 'POST',
    path: `/object/${bucket}/s.txt`,
    body: '0123456789',
    headers: { 'content-type': 'text/plain', 'cache-control': 'max-age=60' },
    token: 'user',
  })
}

export async function signing(server) {
  await makeFile(server, 'own-signed')
  const one = (path, json, more = {}) => server.send({ method: 'POST', path: `/object/sign/${path}`, json, ...more })
  for (const transform of [{ width: 10 }, { width: 'x' }, {}]) await one('own-signed/s.txt', { expiresIn: 60, transform })
  for (const expiresIn of [60, 3_153_600_000]) await one('own-signed/s.txt', { expiresIn, download: true })
  for (const path of ['none/s.txt', 'own-signed/none', 'own-signed/s.txt?download=1', 'own-signed/s.txt/'])
    await one(path, { expiresIn: 60 })
  for (const paths of [['s.txt', 'none'], [], ['s.txt', 's.txt'], ['', 'ü', '/s.txt', 's.txt/'], Array(2).fill('a')])
    await one('own-signed', { expiresIn: 60, paths })
  for (const json of [{}, { expiresIn: 60 }, { paths: ['s.txt'] }]) await one('own-signed', json)
  await one('none', { expiresIn: 60, paths: ['a'] })
  for (const token of ['user', 'otherUser', 'anon']) {
    await one('own-signed/s.txt', { expiresIn: 60 }, { token })
    await one('own-signed', { expiresIn: 60, paths: ['s.txt', 'none'] }, { token })
  }
}

export async function signingWithAnyValue(server) {
  await makeFile(server, 'own-sign-values')
  const fields = [
    'expiresIn',
    'transform',
    'transform.width',
    'transform.height',
    'transform.resize',
    'transform.quality',
    'transform.format',
  ]
  for (const field of fields) {
    for (const value of VALUES) {
      await server.send({
        method: 'POST',
        path: '/object/sign/own-sign-values/s.txt',
        jsonText: withField({ expiresIn: 5 }, field, value),
        label: `${field} = ${value}`,
      })
    }
  }
  for (const field of ['expiresIn', 'paths']) {
    for (const value of VALUES) {
      const body = withField({ expiresIn: 5, paths: ['s.txt'] }, field, value)
      await server.send({
        method: 'POST',
        path: '/object/sign/own-sign-values',
        jsonText: body,
        label: `many: ${field} = ${value}`,
      })
    }
  }
}

export async function signedReads(server) {
  await makeFile(server, 'own-signed-reads')
  const { json } = await server.send({ method: 'POST', path: '/object/sign/own-signed-reads/s.txt', json: { expiresIn: 600 } })
  for (const query of DOWNLOADS) {
    for (const method of ['GET', 'HEAD'])
      await server.send({ method, path: `${json.signedURL}${query}`, token: 'none', label: `${method} ${query}` })
  }
  for (const range of ['bytes=0-3', 'bytes=-2', 'bytes=20-'])
    await server.send({ path: json.signedURL, headers: { range }, token: 'none', label: range })
  await server.send({ path: json.signedURL, token: 'foreign', label: 'with a wrong token in the header' })
  await server.send({ path: json.signedURL.replace('s.txt', 't.txt'), token: 'none', label: 'of another file' })
  await server.send({ method: 'POST', path: json.signedURL, token: 'none', label: 'POST' })
  await server.prepare({ method: 'DELETE', path: '/object/own-signed-reads/s.txt' })
  await server.send({ path: json.signedURL, token: 'none', label: 'of a deleted file' })
}

export async function forgedSignatures(server) {
  await makeFile(server, 'own-forged')
  const url = 'own-forged/s.txt'
  const tokens = {
    none: undefined,
    empty: '',
    text: 'x',
    dotted: 'a.b.c',
    expired: sign({ url, iat: 1, exp: 100 }, server.secret),
    'other file': sign({ url: 'own-forged/other', exp: FAR }, server.secret),
    'other secret': sign({ url, exp: FAR }, 'z'.repeat(40)),
    'of the service': sign({ role: 'service_role', exp: FAR }, server.secret),
    'without expiry': sign({ url }, server.secret),
    unsigned: sign({ url, exp: FAR }, server.secret, { alg: 'none' }),
  }
  for (const [name, token] of Object.entries(tokens)) {
    const query = token === undefined ? '' : `?token=${token}`
    for (const method of ['GET', 'HEAD'])
      await server.send({ method, path: `/object/sign/${url}${query}`, token: 'none', label: `${method} ${name}` })
  }
}
