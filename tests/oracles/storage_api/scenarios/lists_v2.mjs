/** Lists of files, version 2: pages with a cursor, with or without folders. */
import { randomFrom } from '../../random.mjs'
import { generatedNames, makeKeys } from './lists.mjs'
import { VALUES, withField } from './values.mjs'

const REQUESTS = [
  ...['', 'dir', 'dir/', 'a_', 'a%', 'per%', '_', '%', 'under_', '/', 'dir//', 'empty/', 'ü', 'z/', "q'", 'x'.repeat(300)].map(
    (prefix) => ({ prefix }),
  ),
  ...['', 'd', 'dir/', 'z', 'empty/', 'none', 'a.txt'].map((prefix) => ({ prefix, with_delimiter: true })),
  ...[1, 2, 0, -1, 1000, 1001, 2000].map((limit) => ({ limit })),
  ...['name', 'created_at', 'updated_at', 'last_accessed_at', 'size'].flatMap((column) =>
    ['asc', 'desc'].map((order) => ({ sortBy: { column, order } })),
  ),
  ...['', 'bad', 'x'.repeat(100)].map((cursor) => ({ cursor })),
  { delimiter: '/' },
  { extra: 1 },
]
const PAGES = [
  { limit: 2 },
  { limit: 2, with_delimiter: true },
  { limit: 1, with_delimiter: true, prefix: 'd' },
  { limit: 3, sortBy: { column: 'name', order: 'desc' } },
  { limit: 2, sortBy: { column: 'created_at', order: 'asc' } },
  { limit: 3, sortBy: { column: 'created_at', order: 'desc' } },
  { limit: 3, with_delimiter: true, sortBy: { column: 'created_at', order: 'asc' } },
  { limit: 4, with_delimiter: true, sortBy: { column: 'updated_at', order: 'desc' } },
]
const MOST_PAGES = 30

/** Reads all pages of a list. */
async function readPages(server, bucket, request) {
  let cursor
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const json = { ...request, ...(cursor !== undefined && { cursor }) }
    const response = await server.send({
      method: 'POST',
      path: `/object/list-v2/${bucket}`,
      json,
      label: `${JSON.stringify(request)} page ${page}`,
    })
    cursor = response.json?.nextCursor
    if (!cursor) return
  }
}

export async function listsV2(server) {
  await makeKeys(server, 'listed-v2')
  for (const json of REQUESTS)
    await server.send({ method: 'POST', path: '/object/list-v2/listed-v2', json, label: JSON.stringify(json) })
  for (const request of PAGES) await readPages(server, 'listed-v2', request)
}

export async function listsV2WithAnyValue(server) {
  await server.bucket('list-v2-values')
  for (const key of ['a.txt', 'b.txt', 'x/c.txt']) await server.file('list-v2-values', key)
  for (const field of ['prefix', 'limit', 'cursor', 'with_delimiter', 'sortBy', 'sortBy.column', 'sortBy.order']) {
    for (const value of VALUES) {
      const base = field === 'sortBy.order' ? { sortBy: { column: 'name' } } : {}
      await server.send({
        method: 'POST',
        path: '/object/list-v2/list-v2-values',
        jsonText: withField(base, field, value),
        label: `${field} = ${value}`,
      })
    }
  }
}

export async function listsV2OfGeneratedNames(server) {
  const random = randomFrom(8)
  const names = generatedNames(random, 40)
  await server.bucket('generated-v2')
  for (const name of names) await server.file('generated-v2', name.split('/').map(encodeURIComponent).join('/'))
  for (const prefix of ['', 'a', ...names.filter((_, at) => at % 8 === 0).map((name) => name.slice(0, 1))]) {
    await readPages(server, 'generated-v2', { prefix, limit: 7, sortBy: { column: 'name', order: 'desc' } })
    await readPages(server, 'generated-v2', { prefix, limit: 7, with_delimiter: true })
  }
}
