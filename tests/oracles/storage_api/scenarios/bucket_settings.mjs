/** Settings of buckets: limits, media types, and values of other types than the expected. */
import { VALUES, withField } from './values.mjs'

const FIELDS = ['id', 'name', 'public', 'file_size_limit', 'allowed_mime_types', 'type']
const LIMITS = [
  -1,
  0,
  1.5,
  1000,
  1e12,
  5e12,
  null,
  '10MB',
  '10XB',
  '100',
  '1kb',
  '1.5GB',
  '51MB',
  '50MB',
  '52428801',
  '-5',
  '',
  ' 1MB ',
  '1 MB',
  '1MiB',
  '1e3',
  'MB',
]
const TYPES = [
  null,
  [],
  ['image/png'],
  ['image/*'],
  ['image'],
  ['*/*'],
  ['*'],
  [''],
  ['image/png; charset=x'],
  ['IMAGE/PNG'],
  ['image/png', 'image/png'],
  ['image/png', 'bad'],
  'image/png',
  ['image/*', 'text/plain'],
  ['image/svg+xml'],
  ['a/b/c'],
  ['image /png'],
  ['application/vnd.x-y.z'],
]
const SETTINGS = [
  ...LIMITS.map((limit) => ({ file_size_limit: limit })),
  ...TYPES.map((types) => ({ allowed_mime_types: types })),
  ...[true, false, null, 'true', 'yes', 1].map((value) => ({ public: value })),
  ...['STANDARD', 'x'].map((type) => ({ type })),
  { extra: 1 },
]

export async function createWithSettings(server) {
  for (const [at, settings] of SETTINGS.entries()) {
    await server.send({ method: 'POST', path: '/bucket', json: { name: `set-${at}`, ...settings } })
  }
  await server.bucketRows('set-%')
}

export async function updateSettings(server) {
  await server.bucket('update')
  for (const settings of [...SETTINGS, {}, { id: 'other' }, { name: 'other' }]) {
    await server.send({ method: 'PUT', path: '/bucket/update', json: settings })
    await server.send({ path: '/bucket/update' })
  }
  await server.bucketRows('update')
}

export async function createWithAnyValue(server) {
  let count = 0
  for (const field of FIELDS) {
    for (const value of VALUES) {
      // Lists with one number are a limit only for Supabase: updateWithAnyValue.
      if (field === 'file_size_limit' && value.startsWith('[')) continue
      const name = `value-${count++}`
      const { json } = await server.send({
        method: 'POST',
        path: '/bucket',
        jsonText: withField({ name }, field, value),
        label: `${field} = ${value}`,
      })
      if (field !== 'name' || json?.name === undefined) continue
      await server.send({ method: 'DELETE', path: `/bucket/${encodeURIComponent(json.name)}` })
    }
  }
  await server.bucketRows('value-%')
}

export async function updateWithAnyValue(server) {
  await server.bucket('update-value')
  for (const field of ['public', 'file_size_limit', 'allowed_mime_types']) {
    for (const value of VALUES) {
      await server.prepare({
        method: 'PUT',
        path: '/bucket/update-value',
        json: { public: true, file_size_limit: 100, allowed_mime_types: ['image/png'] },
      })
      await server.send({
        method: 'PUT',
        path: '/bucket/update-value',
        jsonText: withField({}, field, value),
        label: `${field} = ${value}`,
      })
      await server.send({ path: '/bucket/update-value', label: `${field} = ${value}: bucket` })
    }
  }
}

/** Bodies that are no object, and media types of requests. */
export async function bucketBodies(server) {
  await server.bucket('bodies')
  const requests = [
    { method: 'POST', path: '/bucket' },
    { method: 'PUT', path: '/bucket/bodies' },
    { method: 'POST', path: '/bucket/bodies/empty' },
    { method: 'DELETE', path: '/bucket/none' },
  ]
  const type = (value) => ({ 'content-type': value })
  const bodies = [
    {},
    { json: [] },
    { json: 'x' },
    { json: 1 },
    { json: null },
    { jsonText: '{bad' },
    { jsonText: '' },
    { json: {} },
    { body: '{}' },
    { body: '{}', headers: type('text/plain') },
    { body: '{}', headers: type('application/json; charset=utf-8') },
    { body: '{}', headers: type('application/vnd.api+json') },
    { body: '{}', headers: type('garbage') },
    { body: 'a=b', headers: type('application/x-www-form-urlencoded') },
  ]
  for (const request of requests) for (const body of bodies) await server.send({ ...request, ...body })
}

export async function emptyAndDelete(server) {
  for (const id of ['full', 'own-full', 'bare']) await server.bucket(id)
  for (const id of ['full', 'own-full']) for (const key of ['a.txt', 'd/b.txt']) await server.file(id, key)
  for (const token of ['anon', 'user']) {
    await server.send({ method: 'POST', path: '/bucket/full/empty', token })
    await server.send({ method: 'POST', path: '/bucket/own-full/empty', token })
    for (const id of ['full', 'own-full', 'bare', 'none']) await server.send({ method: 'DELETE', path: `/bucket/${id}`, token })
    await server.send({ method: 'PUT', path: '/bucket/full', json: { public: true }, token })
  }
  await server.send({ method: 'DELETE', path: '/bucket/full' })
  await server.send({ method: 'POST', path: '/bucket/none/empty' })
  await server.send({ method: 'PUT', path: '/bucket/none', json: { public: true } })
  await server.send({ method: 'POST', path: '/bucket/full/empty' })
  await server.objectRows('full')
  for (const id of ['full', 'full', 'bare', 'none']) await server.send({ method: 'DELETE', path: `/bucket/${id}` })
  await server.objectRows('own-full')
  await server.bucketRows('%full')
}
