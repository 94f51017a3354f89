/** Replaces what differs between two runs: identifiers, times, tokens, hosts. */
import { createHash } from 'node:crypto'

import { OTHER_USER, USER } from './client.mjs'

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?/g
const TOKEN = /eyJ[\w-]+\.([\w-]+)\.[\w-]+/g

/** The headers that clients read. */
const HEADERS = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-range',
  'content-encoding',
  'content-language',
  'accept-ranges',
  'x-robots-tag',
  'allow',
  'expires',
  'etag',
  'last-modified',
  'location',
  'tus-resumable',
  'tus-version',
  'tus-extension',
  'tus-max-size',
  'upload-offset',
  'upload-length',
  'upload-metadata',
  'upload-expires',
  'upload-defer-length',
]
/** The type of nearly all responses, which is left out. */
const USUAL_TYPE = /^application\/json(; charset=utf-8)?$/
/** Longer bodies are recorded as their length and digest. */
const LONGEST_BODY = 200

const nameOf = (uuid) => (uuid === USER ? '<user>' : uuid === OTHER_USER ? '<other user>' : '<uuid>')

/** The claims of a token stay, with its lifetime instead of its times. */
function claimsOf(_, payload) {
  try {
    const { iat, exp, ...claims } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return `<token ${JSON.stringify(sorted(claims))} for ${exp === undefined ? 'ever' : exp - iat}>`
  } catch {
    return '<token>'
  }
}

/** The identifier of a TUS upload contains bucket, name and version of the file. */
const UPLOAD = /(?<=\/upload\/resumable\/(sign\/)?)[\w-]{30,}/g
const nameOfUpload = (id) => `<${Buffer.from(id, 'base64url').toString()}>`

export const normalText = (text) =>
  text
    .replace(UPLOAD, nameOfUpload)
    .replace(TOKEN, claimsOf)
    .replace(UUID, nameOf)
    .replace(TIME, (_, fraction, zone) => `<time${fraction ? '.' : ''}${zone ?? ''}>`)
    .replace(/https?:\/\/127\.0\.0\.1:\d+/g, '<host>')

const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Normalises a value of JSON. `key`: the field that contains it. */
export function normalValue(value, key = '') {
  if (Array.isArray(value)) return value.map((item) => normalValue(item, key))
  if (value instanceof Date) return '<time>'
  if (value !== null && typeof value === 'object')
    return sorted(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normalValue(item, name)])))
  if (typeof value !== 'string') return value
  if (/^etag$/i.test(key)) return value.startsWith('"') ? '<quoted etag>' : '<etag>'
  if (/cursor/i.test(key)) return '<cursor>'
  return normalText(value)
}

function normalHeader(name, value) {
  if (name === 'location') return normalText(value)
  if (name === 'etag') return value.startsWith('"') ? '<quoted etag>' : '<etag>'
  if (['last-modified', 'upload-expires', 'expires'].includes(name)) return '<date>'
  return value
}

function normalBody(body, type) {
  if (type?.startsWith('application/json')) {
    try {
      return normalValue(JSON.parse(body.toString()))
    } catch {
      // A file that is declared as JSON.
    }
  }
  const text = body.toString()
  if (text.length > LONGEST_BODY)
    return `<${body.length} bytes, ${createHash('sha256').update(body).digest('hex').slice(0, 12)}>`
  return normalText(text)
}

/** Sorts the rows of a list whose order is not defined. */
const byName = (body) => (Array.isArray(body) ? [...body].sort((a, b) => (a.name < b.name ? -1 : 1)) : body)

/**
 * Returns what is recorded of a response. The length of a file counts only for HEAD, because other bodies are recorded. `unordered`: the order of the
 * rows in the body does not count.
 */
export function normalResponse({ status, headers, body }, { method, unordered }) {
  const kept = HEADERS.filter((name) => headers[name] !== undefined).map((name) => [name, normalHeader(name, headers[name])])
  if (method === 'HEAD' && status < 300 && headers['content-length'] !== undefined)
    kept.push(['content-length', headers['content-length']])
  const shown = Object.fromEntries(kept.filter(([name, value]) => !(name === 'content-type' && USUAL_TYPE.test(value))))
  const content = normalBody(body, headers['content-type'])
  return { status, headers: shown, body: unordered ? byName(content) : content }
}
