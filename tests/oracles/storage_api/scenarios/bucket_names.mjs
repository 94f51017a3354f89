/** Names of buckets: which are accepted, and how they are read and deleted. */
const NAMES = [
  'a',
  'A b',
  'ü',
  'a/b',
  '',
  '.',
  '..',
  'x'.repeat(100),
  'x'.repeat(101),
  'a%20b',
  'a+b',
  'a,b',
  'a?b',
  'a#b',
  'a\\b',
  'a"b',
  'a:b',
  'a;b',
  'a@b',
  'a$b',
  'a=b',
  'a&b',
  "a'b",
  '(a)',
  '*',
  '!',
  '_u',
  '-u',
  '  ',
  'a ',
  ' a',
  'b\n',
  '😀',
  'public',
  'sign',
  'authenticated',
  'info',
  'list',
  'upload',
  'a<b',
  'a~b',
  'a^b',
  'a`b',
  'a|b',
  'a{b}',
  'a[b]',
]

export async function bucketNames(server) {
  for (const name of NAMES) {
    await server.send({ method: 'POST', path: '/bucket', json: { name } })
    await server.send({ path: `/bucket/${encodeURIComponent(name)}` })
    if (name !== '') await server.send({ method: 'DELETE', path: `/bucket/${encodeURIComponent(name)}` })
  }
}

export async function bucketIdentifiers(server) {
  for (const bucket of [
    { id: 'ident', name: 'other name' },
    { id: '', name: 'ident-empty' },
    { id: 'ident' },
    { id: 'ident', name: '' },
    { name: 'ident' },
    {},
  ]) {
    await server.send({ method: 'POST', path: '/bucket', json: bucket })
  }
  for (const id of ['ident', 'other%20name', 'ident-empty']) await server.send({ path: `/bucket/${id}` })
  await server.bucketRows('ident%')
}

export async function bucketOwners(server) {
  for (const token of ['user', 'anon']) {
    await server.send({ method: 'POST', path: '/bucket', json: { name: `user-of-${token}` }, token })
    await server.send({ method: 'POST', path: '/bucket', json: { name: `team-of-${token}` }, token })
  }
  await server.send({ method: 'POST', path: '/bucket', json: { name: 'user-of-user' }, token: 'user' })
  await server.send({ method: 'POST', path: '/bucket', json: { name: 'user-of-user' } })
  await server.send({ path: '/bucket/user-of-user' })
  await server.bucketRows('user-of-%')
}
