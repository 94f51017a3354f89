// The parts of two responses that must be equal.

const HEADERS = ['content-range', 'location', 'preference-applied', 'content-type', 'content-location', 'content-profile', 'allow', 'x-one', 'x-two', 'x-tea']

/** Only a function of the database can choose these statuses. Therefore their reason phrases come from the database too. */
const CHOSEN = [332, 402]

const isJson = (answer) => (answer.headers['content-type'] ?? '').includes('json')

/** Returns the OpenAPI description without the server's name, and with the formats of PostgREST 14.8. */
function description(document) {
  const formats = { smallint: 'int32', integer: 'int32', bigint: 'int64' }
  const fix = (value) => {
    if (Array.isArray(value)) return value.map(fix)
    if (!value || typeof value !== 'object') return value
    const fixed = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fix(inner)]))
    if (typeof fixed.format === 'string') fixed.format = formats[fixed.format] ?? fixed.format
    if (Array.isArray(fixed.required)) fixed.required.sort()
    return fixed
  }
  const { host, info, externalDocs, ...rest } = fix(document)
  // Since PostgREST 13.0, filters have no format, and there is no preference for single objects any more.
  for (const [name, parameter] of Object.entries(rest.parameters)) if (name.startsWith('rowFilter.')) delete parameter.format
  delete rest.parameters.preferParams.enum
  return { ...rest, title: info.title, description: info.description }
}

/**
 * Returns a body in the form in which it is compared. This form is text, but for JSON errors it is the parsed value, because the order of their keys
 * may differ.
 */
export function view(answer) {
  const seen = { status: answer.status, body: answer.body }
  if (CHOSEN.includes(answer.status)) seen.reason = answer.reason
  if (answer.status >= 300 && isJson(answer)) {
    try {
      seen.body = JSON.parse(answer.body)
    } catch {
      // compared as text
    }
  }
  if ((answer.headers['content-type'] ?? '').startsWith('application/openapi') && answer.body) seen.body = description(JSON.parse(answer.body))
  for (const name of HEADERS) if (answer.headers[name] !== undefined) seen[name] = answer.headers[name]
  return seen
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (!value || typeof value !== 'object') return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}

export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b) || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))

/**
 * Compares the responses to a request that was sent to PostgREST with other names (`asked`). Returns both responses with the names of the original
 * request, and without their order.
 */
export function renamed({ asked, names }, views) {
  if (!asked) return views
  const byUnique = new Map(names)
  return views.map(({ 'content-location': _, body, ...rest }) => {
    const text = (typeof body === 'string' ? body : JSON.stringify(body)).replace(/uq\d+q/g, (unique) => byUnique.get(unique) ?? unique)
    return { ...rest, body: /^[[{]/.test(text) ? JSON.parse(text) : text }
  })
}

/** Returns the fields of the first CSV record (RFC 4180), and the text after this record. */
export function firstRecord(text) {
  const field = /("(?:[^"]|"")*"|[^",\n]*)(,|\n|$)/y
  const fields = []
  for (;;) {
    const [, value, end] = field.exec(text) ?? []
    if (value === undefined) return [fields, undefined]
    fields.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end !== ',') return [fields, text.slice(field.lastIndex)]
  }
}
