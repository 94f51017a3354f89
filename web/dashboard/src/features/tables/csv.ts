/** Possible separators of a CSV file. */
export const separators = { ',': 'comma', ';': 'semicolon', '\t': 'tab' } as const
export type Separator = keyof typeof separators

/** Returns the separator with which the first line has the most fields. If none of them occurs, returns the comma. */
export function separatorOf(text: string): Separator {
  const counted = (Object.keys(separators) as Separator[]).map((separator) => ({
    separator,
    fields: firstLine(text, separator).length,
  }))
  return counted.reduce((best, next) => (next.fields > best.fields ? next : best)).separator
}

/** The fields of the first line of a CSV file (RFC 4180). */
export function firstLine(text: string, separator: Separator = ','): string[] {
  const fields: string[] = []
  let [field, isQuoted] = ['', false]
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  for (let at = 0; at < body.length; at += 1) {
    const character = body.charAt(at)
    if (isQuoted && character === '"' && body.charAt(at + 1) === '"') {
      field += '"'
      at += 1
    } else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === separator) {
      fields.push(field)
      field = ''
    } else if (!isQuoted && (character === '\n' || character === '\r')) break
    else field += character
  }
  return fields.length === 0 && field === '' ? [] : [...fields, field]
}
