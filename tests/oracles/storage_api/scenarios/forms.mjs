/** Uploads as a form, as browsers send them. */
import { base64 } from '../client.mjs'

const file = (more = {}) => ({ name: '', filename: 'a.txt', type: 'text/plain', value: 'file', ...more })
const field = (name, value) => ({ name, value })

const FORMS = [
  [file()],
  [field('cacheControl', '3600'), file()],
  [field('cacheControl', '3600'), field('metadata', '{"k":"v"}'), file({ type: 'image/png', value: '\x89PNG' })],
  [file(), field('cacheControl', '1')],
  ...['abc', '', 'max-age=5', '-1', '3600 ', '1.5', 'no-cache'].map((value) => [field('cacheControl', value), file()]),
  ...['{}', '{"a":{"b":null}}'].map((value) => [field('metadata', value), file()]),
  [field('contentType', 'image/jpeg'), file()],
  [field('userMetadata', '{"k":1}'), file()],
  [field('x', 'y')],
  [],
  [file({ filename: '' })],
  [file({ value: '' })],
  [file({ filename: undefined })],
  ...['', 'garbage', 'text/html'].map((type) => [file({ type })]),
  [...Array.from({ length: 9 }, (_, at) => field(`field${at}`, 'x')), file()],
]

export async function formUploads(server) {
  await server.bucket('forms')
  for (const [at, form] of FORMS.entries()) {
    await server.send({ method: 'POST', path: `/object/forms/${at}`, form })
    await server.send({ path: `/object/info/forms/${at}` })
    await server.send({ path: `/object/forms/${at}` })
  }
  await server.objectRows('forms')
}

export async function brokenForms(server) {
  await server.bucket('broken-forms')
  for (const type of ['multipart/form-data', 'multipart/form-data; boundary=q']) {
    await server.send({ method: 'POST', path: '/object/broken-forms/a', body: 'x', headers: { 'content-type': type } })
  }
  const headers = { 'cache-control': 'max-age=77', 'x-metadata': base64('{"h":1}'), 'x-robots-tag': 'noindex' }
  await server.send({ method: 'POST', path: '/object/broken-forms/headers', form: [file()], headers })
  await server.send({ path: '/object/info/broken-forms/headers' })
  await server.send({ path: '/object/broken-forms/headers' })
}
