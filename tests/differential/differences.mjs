// Intended differences: in these responses, Cloch behaves like PostgREST 14, and not like version 12.0.2, which runs in these tests. `source` names
// the release that changed the behaviour (PostgREST's CHANGELOG), or the reason why Cloch's own response is right.

import { firstRecord, same } from './compare.mjs'

export const differences = []
const difference = (name, source, fits) => differences.push({ name, source, fits })

const code = (answer) => answer.body?.code
const both = (a, b, value) => code(a) === value && code(b) === value
const strict = (one) => /handling=strict/.test(one.headers?.prefer ?? '')
/** Returns whether the responses are equal except for the given parts. */
const only = (a, b, ...keys) =>
  [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) => keys.includes(key) || JSON.stringify(a[key]) === JSON.stringify(b[key]))

difference('406 instead of 415 when no media type can be made', '13.0', (one, a, b) => a.status === 415 && b.status === 406 && (one.method === 'HEAD' || code(b) === 'PGRST107'))
difference('media types are read in any letter case', '12.2', (one, a, b) => a.status === 415 && b.status === 200 && /[A-Z]{4}/.test(one.headers.accept))
difference('unknown relations are found out from the catalog', '13.0', (one, a, b) => ['42P01', undefined, 'PGRST200', 'PGRST105', 'PGRST204', 'PGRST122', 'PGRST107', 'PT418'].includes(code(a)) && a.status !== 200 && code(b) === 'PGRST205')
difference('partitions are not exposed', '13.0', (one, a, b) => /^\/(logs_2024|parts_a)/.test(one.path) && [200, 404].includes(a.status) && b.status === 404)
difference('wording of PGRST204', '12.1', (one, a, b) => both(a, b, 'PGRST204') && a.status === b.status)
difference('wording of PGRST116', '13.0', (one, a, b) => both(a, b, 'PGRST116') && a.body.details === b.body.details)
difference('wording of PGRST106', '13.0.7', (one, a, b) => both(a, b, 'PGRST106'))
difference('wording of PGRST121', '12.1', (one, a, b) => both(a, b, 'PGRST121'))
difference('wording of token errors', '13.0', (one, a, b) => /^PGRST30/.test(code(a)) && /^PGRST30/.test(code(b)) && a.status === b.status)
difference('an empty bearer token is refused', '13.0', (one, a, b) => one.headers?.authorization?.trim() === 'Bearer' && a.status === 200 && b.status === 401)
difference('hints need to be nearer', '14.6', (one, a, b) => both(a, b, 'PGRST202') && a.body.message === b.body.message && a.body.details === b.body.details && b.body.hint === null)
difference('hints name only what the caller may see', 'deliberate', (one, a, b) => /^PGRST20/.test(code(a)) && code(a) === code(b) && a.body.message === b.body.message && b.body.hint === null)
difference('unknown paths have an error of their own', '13.0', (one, a, b) => a.status === 404 && code(b) === 'PGRST125')
difference('is.not_null', '13.0', (one, a, b) => /is\.(not\.?)?n/.test(decodeURIComponent(one.path)) && code(a) === 'PGRST100' && /trilean/.test(a.body.details))
difference('wording of is', '13.0', (one, a, b) => both(a, b, 'PGRST100') && /trilean/.test(a.body.details) && /isVal/.test(b.body.details))
difference('status of some SQLSTATEs', '13.0', (one, a, b) => only(a, b, 'status') && ['21000', '54001', '53400', '42P17', '22023', '57P01'].includes(code(b)))
difference('max-affected', '12.2', (one, a, b) => /max-affected/.test(one.headers?.prefer ?? '') && strict(one) && code(a) === 'PGRST122' && /^Invalid preferences: max-affected=1$/.test(a.body.details))
difference('lines of CSV have as many fields as the header', 'the original drops what is too much, and leaves out what is missing', (one, a, b) => one.headers?.['content-type'] === 'text/csv' && (a.status === 201 || code(a) === '23502') && code(b) === 'PGRST102')
difference('a bare JSON value with columns= reaches PostgreSQL as it is', '13.0', (one, a, b) => both(a, b, '22023') && /columns=/.test(one.path))
difference('json arguments by GET are read as JSON', '12.1', (one, a, b) => (one.path.startsWith('/rpc/echo_json?') && a.status === 200 && b.status === 200) || (one.path.startsWith('/rpc/named_anything?') && code(b) === '42804'))
difference('a variadic argument by GET may be an array', '12.1', (one, a, b) => /sum_all\?v=%7B/.test(one.path))
difference('text search makes tsvectors', '13.0', (one, a, b) => /(fts|wfts|plfts|phfts)[(.]/.test(one.path) && a.status !== b.status || (/\.?fts/.test(one.path) && both(a, b, '42883')))
difference('an embed of empty embeds is empty', '12.1', (one, a, b) => /\(skills\(\)\)/.test(one.path))
difference('a negative limit of an embed is refused', 'the original fails with 500', (one, a, b) => a.status === 500 && b.status === 416)
difference('single parameters need no name match', '14.2: only unnamed parameters take a whole body', (one, a, b) => /^\/rpc\/(echo_json|named_json)/.test(one.path) && code(a) === '42883' && code(b) === 'PGRST202')
difference('filters on columns that are not selected', '13.0, on functions', (one, a, b) => one.path.startsWith('/rpc/') && (code(a) === '42703' || (one.method === 'HEAD' && a.status === 400)) && b.status !== 400)
difference('to-many spreads', '13.0', (one, a) => code(a) === 'PGRST119')
difference('aggregates of spreads are refused where aggregates are', '12.1', (one, a, b) => /\.\.\./.test(one.path) && a.status === 200 && code(b) === 'PGRST123')
difference('aggregates of nested spreads move all the way up', '12.1', (one, a) => (/\.\.\.hulls\(\.\.\.moulds/.test(one.path) && code(a) === '42703') || (/\.\.\.ships\(\.\.\.ports/.test(one.path) && a.status === 200))
difference('the count of a spread may have a name', '12.1', (one, a, b) => /\.\.\.ships\(n:count/.test(one.path) && code(a) === '42703' && b.status === 200)
difference('a column called * can be changed', 'the original takes it for all columns', (one, a, b) => one.method === 'PATCH' && one.path.startsWith('/marked') && a.status === 400 && b.status === 200)
difference('limited updates and deletes are gone', '13.0', (one, a, b) => /^(PATCH|DELETE)$/.test(one.method) && /[?&](limit|offset)=/.test(one.path) && a.status !== b.status || (one.method === 'DELETE' && both(a, b, '23503')))
difference('a representation is not filtered again by and or or', '14.4', (one, a, b) => one.method === 'PATCH' && /[?&](not\.)?(or|and)=/.test(one.path) && a.status === 200 && b.status === 200)
difference('params=single-object is gone', '13.0', (one, a, b) => /params=single-object/.test(one.headers?.prefer ?? '') && (code(b) === 'PGRST122' || code(a) === 'PGRST202' || (one.method === 'HEAD' && b.status === 400)))
difference('an empty type is no type', '12.2', (one, a, b) => one.headers?.['content-type'] === '' && both(a, b, 'PGRST102'))
difference('an empty spread', '13.0', (one, a, b) => /\.\.\.ships\(\)/.test(one.path) && code(a) === '42601' && b.status === 200)
difference('columns of spreads are grouped by their own name', '12.1', (one, a, b) => /\.\.\.ships\(name,tonnage\.sum/.test(one.path) && code(a) === '42702')
difference('order applies to the representation of an update', '13.0', (one, a, b) => one.method === 'PATCH' && /order=/.test(one.path) && (a.status === b.status || code(b) === '42803'))
difference('claims keep the order of the token', 'both are JSON objects', (one, a, b) => /request\.jwt\.claims/.test(one.body ?? '') && a.status === 200 && b.status === 200)
difference('Content-Location encodes UTF-8 once', 'the original encodes the bytes as characters', (one, a, b) => only(a, b, 'content-location') && /%C3%[89A-F]/.test(a['content-location']))
const withoutNumbers = (answer) => JSON.stringify(answer).replace(/\b(serial_no|serial|id)\\?":\d+|Failing row contains \(\d+|serial=eq\.\d+/g, '')
difference('identity columns count on', 'each server takes its own number', (one, a, b) => /^\/(ships|plates|defaulted)/.test(one.path) && one.method === 'POST' && withoutNumbers(a) === withoutNumbers(b))
difference('a relation\'s own media type needs the plain select', '12.1', (one, a, b) => code(a) === '42846' && (code(b) === 'PGRST107' || b.status < 300))
difference('media types of anyelement fit every row', '12.1', (one, a, b) => code(a) === '42704' && /^type "harbour\.\w+" does not exist/.test(a.body.message) && b.status < 300)
/** Returns how different two words are: the number of letters to change, relative to the length of the longer word. */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length] / Math.max(a.length, b.length)
}
const guessed = (answer) => {
  const [, guess, wrong] = /^Perhaps you meant '(.*)' instead of '(.*)'\.$/.exec(answer.body.hint ?? '') ?? []
  return guess && distance(guess, wrong)
}
difference('of guesses that are equally near, either', 'the original takes what its hashing has first', (one, a, b) => both(a, b, 'PGRST200') && a.body.details === b.body.details && guessed(a) !== undefined && guessed(a) === guessed(b))
difference('Location keeps letters beyond ASCII', 'the original loses a key column named with them', (one, a, b) => only(a, b, 'location') && /%D0/.test(b.location) && b.location.startsWith(a.location))
const note = /(\n\n)?(Note:\n)?\n?This is a Foreign Key to .*$/
/**
 * A function with an OUT parameter before another parameter. PostgREST reads only the types of the input parameters, and assigns them to the wrong
 * parameters.
 */
const outFirst = '/rpc/in_and_out'
difference('functions with OUT parameters before others can be called', 'the original does not find them', (one, a, b) => one.path === outFirst && code(a) === 'PGRST202' && b.status === 200)
difference('CSV as in RFC 4180', 'the original doubles backslashes, does not quote names, and names columns that are not selected', (one, a, b) => {
  if (!/text\/csv/.test(one.headers?.accept ?? '') || !only(a, b, 'body', 'content-location') || typeof a.body !== 'string' || typeof b.body !== 'string') return false
  const [names, rows] = firstRecord(b.body)
  if (one.header && b.body.trim() && !same(names, one.header)) return false
  const theirs = a.body.replaceAll('\\\\', '\\')
  const header = theirs.slice(0, theirs.length - rows?.length)
  const ofTable = one.method === 'GET' && !one.path.startsWith('/rpc/')
  // After a write or a call, PostgREST lists all columns of a table, also a column with a line break in its name.
  return theirs.endsWith(rows) && (ofTable ? header === `${names.join(',')}\n` : header.replace('line\nbreak', '').indexOf('\n') === header.replace('line\nbreak', '').length - 1)
})
const notSelected = ['42703', '42846']
difference('errors of functions: columns of filters are found', '13.0: then PostgreSQL finds the next error', (one, a, b) => one.path.startsWith('/rpc/') && notSelected.includes(code(a)) && (['42703', '22P02', '42803'].includes(code(b)) || b.status < 300 || b.status === 406))
difference('hints of PostgreSQL', 'PostgreSQL compares with the aliases of a statement', (one, a, b) => both(a, b, '42703') && a.body.message === b.body.message)
difference('two embeds with one name', 'both fail, since the statements differ for another reason', (one, a, b) => both({ ...a, body: { code: '42712' } }, b, '42712') && code(a) === '42803' && a.status === b.status)
difference('keys stand in another order after limits of several embeds', 'the original takes the limits in the order of its hashing', (one, a, b) => /\.(limit|offset)=.*\.(limit|offset)=/.test(one.path) && only(a, b, 'body') && a.status === 200 && same(JSON.parse(a.body), JSON.parse(b.body)))
difference('settings of roles keep their letter case', '14.13', (one, a, b) => (one.path === '/rpc/found' && code(a) === '42883' && b.body === '"odd"') || (one.path === '/rpc/shown?name=search_path' && a.body === b.body.toLowerCase()))
difference('the description: reading functions only have GET, one-to-one keys are named, defaults of domains are told', '13.0.5, 13.0 and 12.1', (one, a, b) => {
  if (one.path !== '/' || a.status !== 200 || b.status !== 200 || !a.body.paths || !b.body.paths) return false
  for (const { body } of [a, b]) delete body.paths[outFirst]
  for (const [path, item] of Object.entries(a.body.paths)) if (path.startsWith('/rpc/') && !b.body.paths[path]?.get) delete item.get
  for (const [name, definition] of Object.entries(b.body.definitions ?? {}))
    for (const [column, property] of Object.entries(definition.properties ?? {})) {
      const theirs = a.body.definitions[name]?.properties?.[column] ?? {}
      if (!('default' in theirs)) delete property.default
      if (!note.test(theirs.description)) property.description = property.description?.replace(note, '') || undefined
    }
  return same(a, b)
})
