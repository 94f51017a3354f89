/** The list of all buckets. It runs first, because it shows the buckets of the other scenarios too. */
const QUERIES = [
  'limit=2',
  'limit=0',
  'limit=-1',
  'limit=x',
  'limit=1.5',
  'limit=99999999999',
  'limit=Infinity',
  'limit=1e1',
  'limit=',
  'limit=null',
  'limit=2&limit=3',
  'offset=1',
  'offset=-1',
  'offset=1000',
  'offset=',
  'offset=x',
  'limit=1&offset=1',
  'search=al',
  'search=AL',
  'search=%25',
  'search=_',
  'search=',
  'search=%5C',
  'search=a&search=b',
  'search=a&limit=1&offset=1',
  'sortOrder=desc',
  'sortOrder=DESC',
  'sortOrder=x',
  'sortOrder=',
  'other=1',
]
const COLUMNS = ['name', 'id', 'created_at', 'updated_at', 'public', 'NAME', '']

export async function listBuckets(server) {
  await server.send({ path: '/bucket', label: 'no bucket yet' })
  for (const id of ['beta', 'alpha', 'a_b', 'Alpha', 'a%b', 'own-listed', 'zeta']) {
    await server.prepare({ method: 'POST', path: '/bucket', json: { id: id.replace('%', '-'), name: id.replace('%', '-') } })
  }
  await server.prepare({
    method: 'PUT',
    path: '/bucket/alpha',
    json: { public: true, file_size_limit: 1000, allowed_mime_types: ['image/*'] },
  })
  for (const query of QUERIES) await server.send({ path: `/bucket?sortColumn=name&${query}` })
  for (const column of COLUMNS)
    for (const order of ['asc', 'desc']) await server.send({ path: `/bucket?sortColumn=${column}&sortOrder=${order}` })
  for (const token of ['user', 'otherUser', 'anon']) await server.send({ path: '/bucket?sortColumn=name', token })
  for (const token of ['user', 'anon'])
    for (const id of ['own-listed', 'alpha', 'none']) await server.send({ path: `/bucket/${id}`, token })
}
