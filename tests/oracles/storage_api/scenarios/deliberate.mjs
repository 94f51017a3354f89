/** Requests for which Cloch differs on purpose (docs/storage.md). Other scenarios avoid them. */
import { base64 } from '../client.mjs'
import { makeUploader } from './tus.mjs'

const text = { 'content-type': 'text/plain' }

/** Custom metadata that is no JSON object. */
export async function customMetadata(server) {
  await server.bucket('own-custom')
  const { create } = makeUploader(server, 'own-custom')
  for (const value of ['[1]', '"s"', '5', 'bad', 'null', '']) {
    await server.send({
      method: 'POST',
      path: `/object/own-custom/raw-${base64(value)}`,
      body: 'x',
      headers: { ...text, 'x-metadata': base64(value) },
      label: `header ${value}`,
    })
    const form = [
      { name: 'metadata', value },
      { name: '', filename: 'a', type: 'text/plain', value: 'x' },
    ]
    await server.send({ method: 'POST', path: `/object/own-custom/form-${base64(value)}`, form, label: `form ${value}` })
    await create(`tus-${base64(value)}`, 3, { fields: { metadata: value }, label: `TUS ${value}` })
  }
}

/** Forms with several files, or with many fields. */
export async function largeForms(server) {
  await server.bucket('large-forms')
  const file = (name) => ({ name, filename: 'a.txt', type: 'text/plain', value: 'file' })
  await server.send({ method: 'POST', path: '/object/large-forms/two', form: [file('a'), file('b')] })
}

/** Media types that are not normal. */
export async function mediaTypes(server) {
  await server.bucket('types', { allowed_mime_types: ['image/*', 'text/*'] })
  for (const [at, type] of [
    'TEXT/HTML',
    'text/html; charset=utf-8',
    'text/css; charset=latin1; x=y',
    'image/gif; x=y',
    'IMAGE/GIF',
  ].entries()) {
    await server.send({
      method: 'POST',
      path: `/object/types/${at}`,
      body: 'GIF89a',
      headers: { 'content-type': type },
      label: `upload as ${type}`,
    })
    await server.send({ path: `/object/info/types/${at}`, label: `info of ${type}` })
    await server.send({ path: `/object/types/${at}`, label: `file of ${type}` })
  }
}

/** Limits of buckets for copies, and for bodies without a length. */
export async function limitsOfCopies(server) {
  await server.bucket('limits-source')
  await server.bucket('limits-target', { file_size_limit: 3, allowed_mime_types: ['image/*'] })
  await server.file('limits-source', 'a.txt', 'text')
  for (const route of ['copy', 'move']) {
    await server.send({
      method: 'POST',
      path: `/object/${route}`,
      json: { bucketId: 'limits-source', sourceKey: 'a.txt', destinationKey: route, destinationBucket: 'limits-target' },
    })
  }
  await server.send({
    method: 'POST',
    path: '/object/limits-target/chunks',
    body: 'GIF89a',
    headers: { 'content-type': 'image/gif' },
    chunked: true,
  })
}

/** Requests on an upload that is complete, or that another user began. */
export async function tusAfterwards(server) {
  await server.bucket('folder-tus')
  const { create, on, chunk } = makeUploader(server, 'folder-tus', 'service')
  const path = await create('a.txt', 2)
  await chunk('complete', path, 0, 'ab')
  await chunk('at the end', path, 2, '')
  await on('complete', 'DELETE', path)
}

/** A POST that stands for PATCH, for networks that do not allow PATCH. */
export async function tusOverride(server) {
  await server.bucket('own-override')
  const { create, on } = makeUploader(server, 'own-override')
  const path = await create('a.txt', 3)
  const headers = { 'x-http-method-override': 'PATCH', 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' }
  await on('instead of PATCH', 'POST', path, headers, { body: 'abc' })
}

/** An upload that another user continues, who may upload to the same name. */
export async function tusOfAnotherUser(server) {
  await server.bucket('folder-shared')
  const { create, on, chunk } = makeUploader(server, 'folder-shared')
  const path = await create('u/a.txt', 2)
  await chunk('as another user', path, 0, 'a', {}, { token: 'otherUser' })
  const ended = await create('u/b.txt', 2)
  await on('as another user', 'DELETE', ended, {}, { token: 'otherUser' })
}

/** What policies see when an upload link is signed: of the request (Supabase), or nothing. */
export async function policiesOfLinks(server) {
  await server.prepare({ method: 'POST', path: '/bucket', json: { id: 'probe-links', name: 'probe-links' } })
  for (const folder of [
    'type/text_plain',
    'length/4',
    'metadata/null',
    'metadata/set',
    'any/any',
    'operation/storage.object.sign_upload_url',
  ]) {
    const path = `/object/upload/sign/probe-links/${folder}/link`
    await server.send({ method: 'POST', path, token: 'user', body: 'text', headers: text, label: `${folder} with a body` })
    await server.send({ method: 'POST', path, token: 'user', label: folder })
  }
}

/** Lists with folders that are sorted by time: characters of patterns in the prefix. */
export async function patternsInPrefixes(server) {
  await server.bucket('patterns')
  for (const key of ['a_b/1.txt', 'aXb/2.txt', 'a_c', 'aXc']) await server.file('patterns', key)
  for (const prefix of ['a_', 'a_b', 'a%', '_', 'aX']) {
    for (const column of ['created_at', 'name']) {
      const json = { prefix, with_delimiter: true, sortBy: { column, order: 'asc' } }
      await server.send({ method: 'POST', path: '/object/list-v2/patterns', json, label: JSON.stringify(json) })
    }
  }
}

/** An empty part of a path, which many proxies remove. */
export async function doubleSlashes(server) {
  await server.bucket('slashed')
  for (const key of ['a//b', '/a']) {
    await server.send({ method: 'POST', path: `/object/slashed/${key}`, body: 'x', headers: text })
    await server.send({ path: `/object/slashed/${key}` })
    await server.send({ method: 'POST', path: `/object/upload/sign/slashed/new/${key}` })
  }
}

/** Versions of files, which only Cloch has. */
export async function versions(server) {
  await server.bucket('versions')
  await server.file('versions', 'a.txt')
  await server.send({ path: '/object/versions/a.txt?versionId=x' })
  for (const prefixes of [[{ path: 'a.txt' }], Array(1001).fill('q')])
    await server.send({ method: 'DELETE', path: '/object/versions', json: { prefixes }, label: `DELETE ${prefixes.length}` })
}

/** Names with a NUL character, and roles that do not exist. */
export async function serverErrors(server) {
  await server.bucket('nul')
  await server.send({ method: 'POST', path: '/object/nul/a%00b', body: 'x', headers: text })
  await server.send({ method: 'POST', path: '/object/list/nul', json: { prefix: 'a\u0000b' } })
  await server.send({ method: 'POST', path: '/object/sign/nul', json: { expiresIn: 60, paths: ['a\u0000'] } })
  await server.send({ method: 'POST', path: '/bucket', json: { name: 'a\u0000b' } })
}
