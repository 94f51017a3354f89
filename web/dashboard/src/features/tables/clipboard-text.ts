/** Converts rows to and from tab-separated text, the clipboard format of spreadsheet programs. This module has no side effects. */

/** Quotes a value if it contains a tab or line break, or begins with a quotation mark. */
const quoted = (value: string) => (/[\t\n\r]|^"/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

/** Converts rows to text. Null becomes an empty field. */
export const toText = (rows: readonly (readonly (string | null)[])[]) =>
  rows.map((row) => row.map((value) => quoted(value ?? '')).join('\t')).join('\n')

/**
 * A quoted field with the following tab, line end or end of the text. A field that begins with a quotation mark and has none at its end does not
 * match.
 */
const quotedField = /"((?:[^"]|"")*)"(\t|\r\n|\n|\r|$)/y
const plainField = /([^\t\n\r]*)(\t|\r\n|\n|\r|$)/y

/** Parses a text into rows of fields. A line end at the end of the text does not begin another row. */
export function fromText(text: string): string[][] {
  const rows: string[][] = [[]]
  for (let at = 0; ;) {
    const [field, length, end] = fieldAt(text, at)
    rows.at(-1)?.push(field)
    at += length
    if (end === '') return rows
    if (end === '\t') continue
    if (at === text.length) return rows
    rows.push([])
  }
}

function fieldAt(text: string, at: number): [field: string, length: number, end: string] {
  quotedField.lastIndex = at
  const inQuotes = quotedField.exec(text)
  if (inQuotes) return [(inQuotes[1] ?? '').replaceAll('""', '"'), inQuotes[0].length, inQuotes[2] ?? '']
  plainField.lastIndex = at
  const plain = plainField.exec(text)
  return [plain?.[1] ?? '', plain?.[0].length ?? 0, plain?.[2] ?? '']
}
