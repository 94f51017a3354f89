/** What callers may do in buckets with different policies (policies.sql), and what a policy sees. */
import { base64, USER } from '../client.mjs'
import { makeUploader } from './tus.mjs'

const BUCKETS = { 'own-of': {}, folder: {}, drop: {}, read: {}, closed2: {}, open2: { public: true } }
const CALLERS = ['anon', 'user', 'otherUser', 'service']
const READERS = ['anon', 'user', 'otherUser']
const text = { 'content-type': 'text/plain' }

export async function callers(server) {
  for (const [id, settings] of Object.entries(BUCKETS)) {
    await server.bucket(id, settings)
    for (const token of CALLERS) {
      const send = (method, path, more = {}) => server.send({ method, path, token, ...more })
      for (const key of [`of-${token}`, `u/of-${token}`]) {
        const upload = { body: 'text', headers: text }
        await send('POST', `/object/${id}/${key}`, upload)
        await send('POST', `/object/${id}/${key}`, upload)
        await send('POST', `/object/${id}/${key}`, { body: 'other', headers: { ...text, 'x-upsert': 'true' } })
        await send('PUT', `/object/${id}/${key}`, upload)
        for (const reader of READERS)
          for (const way of ['', 'public/', 'info/']) await server.send({ path: `/object/${way}${id}/${key}`, token: reader })
      }
      await send('POST', `/object/list/${id}`, { json: { prefix: '' } })
      await send('POST', `/object/list-v2/${id}`, { json: {} })
    }
    await server.objectRows(id)
  }
}

const OPERATIONS = [
  'object.upload',
  'object.upload_update',
  'object.upload_signed',
  'object.sign_upload_url',
  'object.get_authenticated',
  'object.head_authenticated',
  'object.get_authenticated_info',
  'object.info_authenticated',
  'object.list',
  'object.list_v2',
  'object.sign',
  'object.sign_many',
  'object.copy',
  'object.move',
  'object.delete',
  'object.delete_many',
  'object.head_info',
  'tus.upload.create',
  'tus.upload.part',
  'tus.upload.delete',
].map((name) => `operation/storage.${name}`)
const QUESTIONS = [
  ...OPERATIONS,
  'operation/object.upload',
  ...['size', 'length'].flatMap((name) => [`${name}/4`, `${name}/null`]),
  'type/text_plain',
  'type/null',
  'cache/no-cache',
  'cache/max-age=9',
  'cache/null',
  'metadata/set',
  'metadata/null',
  'custom/v',
  'custom/null',
  'version/set',
  'version/null',
  'owner/null',
  `owner/${USER}`,
  'method/POST',
  'method/PUT',
  'method/GET',
  'method/DELETE',
  'method/PATCH',
  'role/authenticated',
  'role/service_role',
]

/** Each request as a user. It succeeds if the policy sees the answer in the second folder of the name. */
export async function whatPoliciesSee(server) {
  await server.bucket('probe')
  await server.prepare({ method: 'POST', path: '/object/probe/any/any/source', body: 'file', headers: text, token: 'user' })
  for (const folder of QUESTIONS) {
    const prepare = (name) => server.file('probe', `${folder}/${name}`, 'file', { 'x-metadata': base64('{"k":"v"}') })
    const send = (method, path, more = {}) =>
      server.send({ method, path, token: 'user', label: `${folder} ${method} ${path.replace(folder, 'Q')}`, ...more })
    const headers = { ...text, 'x-metadata': base64('{"k":"v"}') }
    await send('POST', `/object/probe/${folder}/new`, { body: 'text', headers })
    await send('POST', `/object/probe/${folder}/new`, {
      body: 'text',
      headers: { ...headers, 'x-upsert': 'true' },
      label: `${folder} POST with x-upsert`,
    })
    await send('PUT', `/object/probe/${folder}/new`, { body: 'text', headers: { ...headers, 'cache-control': 'max-age=9' } })
    await prepare('a')
    for (const way of ['', 'authenticated/', 'info/']) await send('GET', `/object/${way}probe/${folder}/a`)
    await send('HEAD', `/object/probe/${folder}/a`)
    await send('POST', '/object/list/probe', { json: { prefix: folder, search: 'a' } })
    await send('POST', '/object/list-v2/probe', { json: { prefix: `${folder}/a` } })
    await send('POST', `/object/sign/probe/${folder}/a`, { json: { expiresIn: 9 } })
    await send('POST', '/object/sign/probe', { json: { expiresIn: 9, paths: [`${folder}/a`] } })
    await send('POST', '/object/copy', {
      json: { bucketId: 'probe', sourceKey: 'any/any/source', destinationKey: `${folder}/copied` },
      label: `${folder} copy to`,
    })
    await send('POST', '/object/copy', {
      json: { bucketId: 'probe', sourceKey: `${folder}/a`, destinationKey: `any/any/${folder.replace('/', '-')}` },
      label: `${folder} copy from`,
    })
    await send('POST', '/object/move', {
      json: { bucketId: 'probe', sourceKey: `${folder}/a`, destinationKey: `${folder}/moved` },
    })
    await prepare('a')
    await send('DELETE', `/object/probe/${folder}/a`)
    await prepare('a')
    await send('DELETE', '/object/probe', { json: { prefixes: [`${folder}/a`] } })
    await probeUpload(server, folder)
  }
}

async function probeUpload(server, folder) {
  const { create, chunk, on } = makeUploader(server, 'probe')
  const fields = { metadata: '{"k":"v"}', cacheControl: '9' }
  const path = await create(`${folder}/tus`, 4, { fields, label: `${folder} TUS creation` })
  if (path === undefined) return
  await chunk(folder, path, 0, 'fi')
  await chunk(`${folder}, the last bytes`, path, 2, 'le')
  const other = await create(`${folder}/ended`, 4, { fields, label: `${folder} TUS creation to end` })
  if (other !== undefined) await on(folder, 'DELETE', other)
}
