/** Lists of files, version 1: folders are shown as one entry. */
import { randomFrom } from '../../random.mjs'
import { VALUES, withField } from './values.mjs'

const KEYS = [
  'a.txt',
  'b.txt',
  'dir/x.txt',
  'dir/y.txt',
  'dir/sub/z.txt',
  'dir2/x.txt',
  'a_b/1.txt',
  'aXb/2.txt',
  'under_score.txt',
  'underXscore.txt',
  'z/1',
  'z/2',
  'z/10',
  'empty/.emptyFolderPlaceholder',
  '10.txt',
  '9.txt',
  'sp%20ace/f.txt',
  'dir.txt',
  'dir-1.txt',
  "q'uote.txt",
]
const PREFIXES = [
  '',
  'a',
  'dir',
  'dir/',
  'dir/x',
  'dir/x.txt',
  '/',
  '//',
  'DIR',
  'a_b',
  'a_b/',
  'a%b',
  'a%b/',
  '_',
  '%',
  'z',
  'z/',
  'zz',
  'empty',
  'sp ace',
  'dir//',
  '.',
  'dir/sub',
  'under_',
  'per%',
  ' ',
  'a\\',
  '*',
  "q'",
  'ü',
  'x'.repeat(300),
]
const SEARCHES = ['a', 'A', 'txt', '%', '_', 'under_', 'per%', '', 'dir/x', '\\', '.', 'x', 'y']
const PAGES = [
  [1, 0],
  [2, 0],
  [2, 1],
  [3, 3],
  [100, 1000],
  [0, 0],
  [-1, 0],
  [10, -1],
  [100_000, 0],
]
const COLUMNS = ['name', 'created_at', 'updated_at', 'last_accessed_at', 'size', 'NAME', 'id']

export async function makeKeys(server, bucket) {
  await server.bucket(bucket)
  // The placeholder of an empty folder must be empty.
  for (const key of KEYS) await server.file(bucket, key, key.endsWith('Placeholder') ? '' : 'x'.repeat(key.length))
}

const list = (server, bucket, json, more = {}) =>
  server.send({ method: 'POST', path: `/object/list/${bucket}`, json, label: JSON.stringify(json), ...more })

export async function lists(server) {
  await makeKeys(server, 'listed')
  for (const prefix of PREFIXES) await list(server, 'listed', { prefix })
  for (const search of SEARCHES) for (const prefix of ['', 'dir']) await list(server, 'listed', { prefix, search })
  for (const [limit, offset] of PAGES) await list(server, 'listed', { prefix: '', limit, offset })
  for (const column of COLUMNS)
    for (const order of ['asc', 'desc'])
      for (const prefix of ['z', 'dir']) await list(server, 'listed', { prefix, sortBy: { column, order } })
  for (const sortBy of [
    { column: 'name' },
    { order: 'desc' },
    {},
    null,
    { column: 'name', order: 'DESC' },
    { column: 'name', order: 'sideways' },
  ])
    await list(server, 'listed', { prefix: 'z', sortBy })
  await server.objectRows('listed')
}

export async function listsWithAnyValue(server) {
  await server.bucket('list-values')
  for (const key of ['a.txt', 'b.txt', 'x/c.txt']) await server.file('list-values', key)
  for (const field of ['prefix', 'limit', 'offset', 'search', 'sortBy', 'sortBy.column', 'sortBy.order']) {
    for (const value of VALUES) {
      const base = field === 'sortBy.order' ? { prefix: '', sortBy: { column: 'name' } } : { prefix: '' }
      await server.send({
        method: 'POST',
        path: '/object/list/list-values',
        jsonText: withField(base, field, value),
        label: `${field} = ${value}`,
      })
    }
  }
}

export async function listsOfCallers(server) {
  await server.bucket('own-listed-files')
  await server.file('own-listed-files', 'service.txt')
  for (const token of ['user', 'otherUser'])
    await server.file('own-listed-files', `${token}/a.txt`, 'x', { token, 'x-upsert': 'false' })
  for (const token of ['service', 'user', 'otherUser', 'anon']) {
    for (const bucket of ['own-listed-files', 'none']) {
      await server.send({ method: 'POST', path: `/object/list/${bucket}`, json: { prefix: '' }, token })
      await server.send({ method: 'POST', path: `/object/list-v2/${bucket}`, json: {}, token })
    }
  }
}

const CHARACTERS = [
  'a',
  'b',
  'c',
  '/',
  '/',
  '-',
  '.',
  '0',
  '_',
  '!',
  ' ',
  '+',
  "'",
  '(',
  '&',
  '$',
  '=',
  '@',
  ';',
  ':',
  ',',
  '?',
  'z',
  '*',
]

/** Generates names without empty parts, `.` and `..`. */
export function generatedNames(random, count) {
  const names = new Set()
  while (names.size < count) {
    const name = Array.from({ length: 1 + random.below(7) }, () => random.of(CHARACTERS)).join('')
    // A folder and a file of the same name, or an empty part, are other scenarios.
    const clashes = [...names].some((other) => other.startsWith(`${name}/`) || name.startsWith(`${other}/`))
    if (!clashes && !name.split('/').some((part) => ['', '.', '..'].includes(part)) && name.trim() === name) names.add(name)
  }
  return [...names]
}

export async function listsOfGeneratedNames(server) {
  const random = randomFrom(7)
  const names = generatedNames(random, 60)
  await server.bucket('generated')
  for (const name of names) await server.file('generated', name.split('/').map(encodeURIComponent).join('/'))
  const prefixes = [
    '',
    'a',
    'a/',
    'b',
    'z',
    '-',
    '_',
    '*',
    '?',
    ...names.filter((_, at) => at % 4 === 0).map((name) => name.slice(0, 1 + random.below(name.length))),
  ]
  for (const prefix of prefixes) {
    for (const search of ['', random.of(CHARACTERS)]) {
      const [limit, offset] = random.of([
        [100, 0],
        [3, 0],
        [2, 1],
        [5, 2],
      ])
      await list(server, 'generated', { prefix, search, limit, offset, sortBy: { column: 'name', order: 'asc' } })
    }
  }
}
