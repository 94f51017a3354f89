/**
 * Reads the changes in PostgreSQL's log with its plugin test_decoding. Cloch uses another plugin and another decoder.
 * https://www.postgresql.org/docs/current/test-decoding.html
 */

/** Marks an unchanged value of an update. The value is stored outside the row (TOAST), so PostgreSQL's log does not contain it. */
export const UNCHANGED = Symbol('unchanged')

/** Returns the changes since the last call: `{table, kind, old, new}`, with rows as texts by column. Truncations are left out. */
export async function readChanges(session, slot) {
  const [lines] = await session.json(
    `select coalesce(json_agg(data), '[]') from pg_logical_slot_get_changes('${slot}', null, null, 'include-xids', '0', 'skip-empty-xacts', '1')`,
  )
  return lines.filter((line) => line.startsWith('table public.')).flatMap(parse)
}

function parse(line) {
  const reader = { text: line, at: 'table public.'.length }
  const table = identifier(reader)
  expect(reader, ': ')
  const kind = take(reader, /[A-Z]+/y)
  expect(reader, ': ')
  if (kind === 'TRUNCATE') return []
  if (kind === 'DELETE') return [{ table, kind, old: rest(reader) === '(no-tuple-data)' ? {} : row(reader), new: null }]
  let old = null
  if (rest(reader).startsWith('old-key: ')) {
    expect(reader, 'old-key: ')
    old = row(reader)
    expect(reader, 'new-tuple: ')
  }
  return [{ table, kind, old, new: row(reader) }]
}

const rest = (reader) => reader.text.slice(reader.at)

function expect(reader, text) {
  if (!reader.text.startsWith(text, reader.at)) throw new Error(`expected ${text} at ${reader.at} of ${reader.text}`)
  reader.at += text.length
}

function take(reader, pattern) {
  pattern.lastIndex = reader.at
  const found = pattern.exec(reader.text)
  if (!found) throw new Error(`expected ${pattern} at ${reader.at} of ${reader.text}`)
  reader.at += found[0].length
  return found[0]
}

function identifier(reader) {
  if (reader.text[reader.at] !== '"') return take(reader, /[a-z_][a-z0-9_$]*/y)
  return take(reader, /"(?:[^"]|"")*"/y).slice(1, -1).replaceAll('""', '"')
}

/** Reads `column[type]:value column[type]:value …`, to the end or to `new-tuple`. */
function row(reader) {
  const values = {}
  while (reader.at < reader.text.length && !reader.text.startsWith('new-tuple: ', reader.at)) {
    const column = identifier(reader)
    take(reader, /\[(?:[^[\]"]|\[\]|"(?:[^"]|"")*")*\]:/y)
    values[column] = value(reader)
    if (reader.text[reader.at] === ' ') reader.at += 1
  }
  return values
}

function value(reader) {
  if (reader.text[reader.at] === "'") return take(reader, /'(?:[^']|'')*'/y).slice(1, -1).replaceAll("''", "'")
  if (reader.text.startsWith("B'", reader.at)) return take(reader, /B'[01]*'/y).slice(2, -1)
  const word = take(reader, /[^ ]+/y)
  if (word === 'null') return null
  return word === 'unchanged-toast-datum' ? UNCHANGED : word
}
