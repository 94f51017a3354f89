// CSV in reads, writes and calls. `header` lists the names that the first line must contain.

import { add, full } from '../cases.mjs'
import { chance, pick, random, read, sent } from './random.mjs'

const REQUESTS = 700
const columns = ['id', 'plain', 'quoted', 'empty', 'flag', 'amount', 'whole', 'real_one', 'day', 'at', 'words', 'numbers', 'data', 'raw', 'bytes', 'span', 'place', '"a,b"', '"q\\"t"', 'state', 'boat_id', 'double_id']
const derived = ['data->k', 'data->>k', 'raw->b', 'words->0', 'id::text', 'at::text', 'n:plain', '"x,y":quoted', 'p:place->>label', 'boats(name)', 'boats(name,trips(id,name))', 'b:boats(*)', '...boats(boat:name)', 'boats(trips(count))', 'amount::text']
const filters = ['id=gt.2', 'id=eq.1', 'id=eq.4', 'id=lt.0', 'flag=is.true', 'quoted=like.*e*', 'or=(id.eq.2,id.eq.5)', 'data=not.is.null', 'words=cs.{a}', '"a,b"=eq.é']
const accepts = ['text/csv', 'text/csv', 'text/csv', 'text/csv; charset=utf-8', 'text/csv, */*;q=0.1']

const every = ['id', 'plain', 'quoted', 'empty', 'flag', 'amount', 'whole', 'real_one', 'day', 'at', 'words', 'numbers', 'data', 'raw', 'bytes', 'span', 'place', 'a,b', 'q"t', 'line\nbreak', 'state', 'boat_id', 'double_id']

/** Returns the name of a selected item in the response. */
function nameOf(item) {
  if (item.startsWith('...')) return /\((\w+):/.exec(item)[1]
  const [, alias] = /^("[^"]+"|\w+):(?!:)/.exec(item) ?? []
  const path = item.replace(/\(.*|::.*/, '').split(/->>?/)
  const key = path.findLast((step, at) => at === 0 || !/^\d+$/.test(step))
  return (alias ?? key).replace(/^"|"$/g, '').replace('\\"', '"')
}

/** Returns a selection, and the names of its columns in the response. The names of embeds come last. */
function selected() {
  if (chance(20)) return [random.of(['', 'select=*']), every]
  const items = pick([...columns, ...derived], 1 + random.below(5))
  const isEmbed = (item) => item.includes('(')
  return [`select=${items.join(',')}`, [...items.filter((item) => !isEmbed(item)), ...items.filter(isEmbed)].map(nameOf)]
}
const range = () => (chance(25) ? random.of(['limit=2', 'limit=1&offset=1', 'limit=0', 'offset=9']) : '')
const filter = () => (chance(45) ? random.of(filters) : '')
const joined = (...parts) => parts.filter(Boolean).join('&')
const counted = () => (chance(20) ? { prefer: 'count=exact' } : {})

function ofRead() {
  const table = random.of(['sheets', 'sheets', 'sheets', 'empty_sheets', 'sheets_view'])
  const accept = random.of(accepts)
  if (table === 'sheets_view') return add('GET', `/sheets_view?${joined(random.of(['', 'select="Quoted, as is",id', 'select=words,data', 'select="x":"Quoted, as is"']), 'order=id', range())}`, { headers: { ...read, accept, ...counted() } })
  const [select, header] = selected()
  return add(chance(8) ? 'HEAD' : 'GET', `/${table}?${joined(select, filter(), 'order=id', range())}`, { header, headers: { ...read, accept, ...counted() } })
}

function ofCall() {
  const [name, known] = random.of([['many_sheets', ''], ['csv_rows', 'n=3'], ['csv_rows', 'n=0'], ['one_sheet', 'n=4'], ['one_sheet', 'n=2'], ['many_texts', ''], ['one_text', 'n=2'], ['one_text', 'n=3'], ['one_array', ''], ['one_json', 'n=1'], ['many_json', ''], ['many_outs', '']])
  const ofRows = () => random.of([['', ['id', 'a,b', 'words', 'data']], ['select="a,b",id', ['a,b', 'id']], ['select=data,words', ['data', 'words']], ['select=z:words', ['z']]])
  const [select, header] = name === 'csv_rows' ? ofRows() : name.includes('sheet') ? selected() : ['']
  return add('GET', `/rpc/${name}?${joined(known, select, name.endsWith('sheets') ? joined(filter(), 'order=id', range()) : '')}`, { header, headers: { ...read, accept: random.of(accepts), ...counted() } })
}

const values = { plain: ['x', 'a,b', 'q"r', 'l\nm', '\\', '', null, ' s ', 'NULL'], words: [['a', 'b,c'], [], null, ['\\', '"']], data: [{ a: [1, '"'] }, null, [], 'text'], amount: [1.5, null, 1e3], flag: [true, null], '"a,b"': ['z', null] }
const row = (id) => ({ id, ...Object.fromEntries(pick(Object.keys(values), 2 + random.below(3)).map((key) => [key.replaceAll('"', ''), random.of(values[key])])) })

function ofWrite() {
  const [select, header] = selected()
  const path = (rest) => `/sheets?${joined(select, rest)}`
  const headers = { ...sent, accept: random.of(accepts), prefer: `${full}, tx=rollback${chance(20) ? ', count=exact' : ''}` }
  const { id: _, ...changes } = row(0)
  const one = row(70)
  random.of([
    () => add('POST', path(''), { role: 'user', header, headers, body: JSON.stringify(one) }),
    () => add('POST', path(`columns=id,plain,words`), { role: 'user', header, headers, body: JSON.stringify([{ id: 71, plain: random.of(values.plain), words: random.of(values.words) }, { id: 72, plain: random.of(values.plain) }]) }),
    () => add('PATCH', path(random.of(['id=eq.1', 'id=eq.4', 'id=eq.99'])), { role: 'user', header, headers, body: JSON.stringify(changes) }),
    () => add('DELETE', path(random.of(['id=eq.4', 'id=eq.2', 'id=eq.99'])), { role: 'user', header, headers }),
    () => add('PUT', path('id=eq.5'), { role: 'user', header, headers, body: JSON.stringify({ ...one, id: 5 }) }),
  ])()
}

/** Bodies as CSV, with fields that contain every kind of quotes. The responses are JSON. */
function ofBody() {
  const field = () => random.of(['x', '"a,b"', '"q""r"', '"l\nm"', '""', '', 'NULL', '\\', ' s ', '"\\"', '"NULL"', 'é'])
  const end = random.of(['\n', '\r\n'])
  const lines = Array.from({ length: 1 + random.below(3) }, (__, at) => [70 + at, field(), field()].join(','))
  const body = [random.of(['id,plain,quoted', '"id","plain","quoted"', 'id,plain,"a,b"']), ...lines].join(end) + (chance(50) ? end : '')
  add('POST', '/sheets?select=id,plain,quoted,"a,b"', { role: 'user', headers: { ...sent, 'content-type': 'text/csv', prefer: `${full}, tx=rollback` }, body })
}

for (let i = 0; i < REQUESTS; i++) random.of([ofRead, ofRead, ofRead, ofCall, ofWrite, ofWrite, ofBody])()
