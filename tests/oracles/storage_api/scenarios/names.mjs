/** Names of files: unicode, percent signs, dots, spaces, lengths, and characters that are not allowed. */
const NAMES = [
  'a%20b',
  '%C3%BC',
  '%',
  '%zz',
  '%FF',
  'a%2Fb',
  'a/',
  '.',
  '..',
  'a/../b',
  'a/./b',
  './a',
  '../a',
  '%2e%2e/a',
  'a/%2e%2e/b',
  '.emptyFolderPlaceholder',
  'x/.emptyFolderPlaceholder',
  'a+b',
  'a%3Fb',
  'a%23b',
  "a'b",
  'a%22b',
  'a%5Cb',
  'a%7Bb',
  'a%5Bb',
  'a%3Cb',
  'a%7Cb',
  'a~b',
  'a%5Eb',
  'a%60b',
  'a*b',
  'a!b',
  'a(b)',
  'a&b',
  'a$b',
  'a=b',
  'a;b',
  'a:b',
  'a,b',
  'a@b',
  '%20a',
  'a%20',
  '%F0%9F%98%80',
  'a%0Ab',
  'a%09b',
  'x'.repeat(200),
  `${'d/'.repeat(20)}e`,
  '%C3%A9',
  'e%CC%81',
  'a%25b',
  'a%2520b',
  'CON',
  'a.',
  'a..b',
  '-',
  '_',
  'list',
  'sign',
  'sign/x',
  'public/x',
  'authenticated/x',
  'info/x',
  'upload/sign/x',
  '%E2%80%AE',
  'a%E2%80%8Bb',
  '__proto__',
  'constructor',
  "a';drop--",
  'a%2Bb',
  'a%3Db',
  '%E4%BD%A0%E5%A5%BD.txt',
  'Ab',
  'aB',
  'a_b',
  'a%2fb%2Fc',
]

export async function fileNames(server) {
  await server.bucket('names', { public: true })
  for (const name of NAMES) {
    await server.send({
      method: 'POST',
      path: `/object/names/${name}`,
      body: 'x',
      headers: { 'content-type': 'text/plain', 'x-upsert': 'true' },
    })
    await server.send({ path: `/object/names/${name}` })
    await server.send({ path: `/object/info/names/${name}` })
    await server.send({ path: `/object/public/names/${name}` })
    await server.send({ method: 'POST', path: `/object/sign/names/${name}`, json: { expiresIn: 60 } })
  }
  await server.objectRows('names')
  for (const name of NAMES) await server.send({ method: 'DELETE', path: `/object/names/${name}` })
}

/** Names in bodies, which are not encoded. */
export async function namesInBodies(server) {
  await server.bucket('body-names')
  await server.file('body-names', 'a')
  const names = ['', 'ü', '../x', '/x', 'x/', 'a b', 'a%20b', '😀', '.', 'a\nb', 'a\\b', 'a?b', 'a#b']
  for (const name of names) {
    await server.send({
      method: 'POST',
      path: '/object/copy',
      json: { bucketId: 'body-names', sourceKey: 'a', destinationKey: name },
    })
    await server.send({
      method: 'POST',
      path: '/object/copy',
      json: { bucketId: 'body-names', sourceKey: name, destinationKey: `of ${name.length}` },
    })
    await server.send({
      method: 'POST',
      path: '/object/move',
      json: { bucketId: 'body-names', sourceKey: name, destinationKey: `moved ${name.length}` },
    })
    await server.send({ method: 'POST', path: '/object/sign/body-names', json: { expiresIn: 60, paths: [name] } })
    await server.send({ method: 'DELETE', path: '/object/body-names', json: { prefixes: [name] } })
  }
  await server.objectRows('body-names')
}
