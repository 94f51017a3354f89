/** Signed upload URLs: creation and use. */
import { base64, sign } from '../client.mjs'

const text = { 'content-type': 'text/plain' }
const createPath = (key) => `/object/upload/sign/own-links/${key}`

export async function uploadLinks(server) {
  await server.bucket('own-links')
  await server.file('own-links', 'there.txt')
  const create = (key, more = {}) => server.send({ method: 'POST', path: createPath(key), ...more })
  for (const key of ['new.txt', 'there.txt', '%C3%BC', 'a%20b.txt', 'd/e.txt']) {
    await create(key)
    await create(key, { headers: { 'x-upsert': 'true' } })
  }
  for (const token of ['user', 'otherUser', 'anon']) for (const key of ['mine.txt', 'there.txt']) await create(key, { token })
  for (const json of [{}, { expiresIn: 5 }, []]) await create('new.txt', { json })
  await server.send({ method: 'POST', path: '/object/upload/sign/none/a.txt' })
  await server.objectRows('own-links')
}

export async function linkedUploads(server) {
  await server.bucket('own-linked')
  const link = async (key, more = {}) =>
    (await server.prepare({ method: 'POST', path: `/object/upload/sign/own-linked/${key}`, ...more })).json.url
  const put = (label, path, more = {}) =>
    server.send({ method: 'PUT', path, body: 'signed', headers: text, token: 'none', label, ...more })
  const look = (key) => server.send({ path: `/object/info/own-linked/${key}` })

  const once = await link('once.txt', { token: 'user' })
  await put('first use', once)
  await look('once.txt')
  await put('second use', once)
  await put('second use with x-upsert', once, { headers: { ...text, 'x-upsert': 'true' } })

  const upsert = await link('upsert.txt', { headers: { 'x-upsert': 'true' }, token: 'user' })
  await put('upsert: first use', upsert)
  await put('upsert: second use', upsert, { body: 'longer text' })
  await look('upsert.txt')

  await put('headers', await link('headers.txt'), {
    headers: { 'content-type': 'image/png', 'cache-control': 'max-age=3', 'x-metadata': base64('{"z":1}') },
  })
  await look('headers.txt')
  await put('form', await link('form.txt'), {
    body: undefined,
    headers: {},
    form: [
      { name: 'cacheControl', value: '3600' },
      { name: '', filename: 'a.txt', type: 'text/plain', value: 'x' },
    ],
  })
  await look('form.txt')
  await server.objectRows('own-linked')
}

export async function wrongLinks(server) {
  await server.bucket('own-wrong')
  const { json } = await server.prepare({ method: 'POST', path: '/object/upload/sign/own-wrong/a.txt' })
  const put = (label, path, more = {}) =>
    server.send({ method: 'PUT', path, body: 'x', headers: text, token: 'none', label, ...more })
  await put('another file', json.url.replace('a.txt', 'b.txt'))
  await put('another bucket', json.url.replace('own-wrong', 'none'))
  const path = '/object/upload/sign/own-wrong/a.txt'
  const claims = { url: 'own-wrong/a.txt', owner: null, upsert: false }
  const tokens = {
    empty: '',
    text: 'bad',
    expired: sign({ ...claims, iat: 1, exp: 100 }, server.secret),
    'other secret': sign({ ...claims, exp: 4_102_444_800 }, 'z'.repeat(40)),
  }
  for (const [name, token] of Object.entries(tokens)) await put(name, `${path}?token=${token}`)
  await put('no token', path)
  await server.send({ path: json.url, token: 'none', label: 'GET' })
  await server.send({ path: `/object/sign/own-wrong/a.txt?token=${json.token}`, token: 'none', label: 'as a link to download' })
  await server.objectRows('own-wrong')
}
