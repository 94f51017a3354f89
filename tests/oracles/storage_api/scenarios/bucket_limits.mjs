/** Uploads to a bucket with a size limit and a list of media types. */
export async function bucketLimits(server) {
  await server.bucket('limits', { file_size_limit: 1000, allowed_mime_types: ['image/*', 'text/plain'] })
  const upload = async (key, body, type, more = {}) => {
    await server.send({ method: 'POST', path: `/object/limits/${key}`, body, headers: { 'content-type': type }, ...more })
    await server.send({ path: `/object/info/limits/${key}` })
  }
  await upload('large.txt', 'x'.repeat(1001), 'text/plain')
  await upload('full.txt', 'x'.repeat(1000), 'text/plain')
  await upload('empty.txt', '', 'text/plain')
  await upload('chunks.txt', 'x'.repeat(900), 'text/plain', { chunked: true })
  for (const [at, type] of ['application/json', null, 'image/gif', 'text/html', 'image', 'imagex/y'].entries()) {
    await upload(`type-${at}`, 'GIF89a', type)
  }
  for (const [key, type, value] of [
    ['form-large', 'text/plain', 'x'.repeat(1001)],
    ['form-type', 'text/html', 'x'],
    ['form', 'image/gif', 'GIF89a'],
  ]) {
    await server.send({ method: 'POST', path: `/object/limits/${key}`, form: [{ name: '', filename: 'a', type, value }] })
  }
  await server.objectRows('limits')
}
