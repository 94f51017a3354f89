/** Sends requests as they are: node:http changes neither paths (`..`, `%zz`) nor headers, as clients would. */
import { createHmac } from 'node:crypto'
import { request } from 'node:http'

export const USER = '6a7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a10'
export const OTHER_USER = '7b7f9a7e-51a5-4b9b-9d7b-0d1f3f3f7a11'

/** The prefix of storage's paths behind a gateway. */
const PREFIX = '/storage/v1'
const BOUNDARY = '----boundary'
const ISSUED = 1_700_000_000
const YEAR_2100 = 4_102_444_800

const base64url = (text) => Buffer.from(text).toString('base64url')
export const base64 = (text) => Buffer.from(text).toString('base64')

/** Signs claims as HS256. A header with another `alg` gets the same signature, so that it is wrong. */
export function sign(claims, secret, header = { alg: 'HS256', typ: 'JWT' }) {
  const content = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`
  return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

/** Returns the tokens of the callers, by the names that scenarios use. */
export function makeTokens(secret) {
  const valid = { iat: ISSUED, exp: YEAR_2100 }
  const user = { role: 'authenticated', aud: 'authenticated', sub: USER, ...valid }
  const service = { role: 'service_role', iss: 'supabase', ...valid }
  return {
    service: sign(service, secret),
    anon: sign({ role: 'anon', iss: 'supabase', ...valid }, secret),
    user: sign(user, secret),
    otherUser: sign({ ...user, sub: OTHER_USER }, secret),
    expired: sign({ ...service, exp: ISSUED + 100 }, secret),
    future: sign({ ...service, nbf: YEAR_2100 - 100 }, secret),
    foreign: sign(service, 'another secret with at least 32 characters'),
    unsigned: sign(service, secret, { alg: 'none' }),
    withoutExpiry: sign({ role: 'service_role', iat: ISSUED }, secret),
    withoutRole: sign({ sub: USER, ...valid }, secret),
    textAsUser: sign({ ...user, sub: 'not-a-uuid' }, secret),
    garbage: 'abc',
    dotted: 'a.b.c',
    empty: '',
  }
}

/** Encodes a form. A field with `filename` is a file. */
function encodeForm(fields) {
  const parts = fields.flatMap(({ name, filename, type, value }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`
    const media = type ? `Content-Type: ${type}\r\n` : ''
    return [
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n${media}\r\n`),
      Buffer.from(value),
      Buffer.from('\r\n'),
    ]
  })
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

function encodeBody({ json, jsonText, form, body }) {
  if (json !== undefined) return ['application/json', Buffer.from(JSON.stringify(json))]
  if (jsonText !== undefined) return ['application/json', Buffer.from(jsonText)]
  if (form !== undefined) return [`multipart/form-data; boundary=${BOUNDARY}`, encodeForm(form)]
  return [undefined, body === undefined ? undefined : Buffer.from(body)]
}

/**
 * Returns the function that sends a request to a server. `token`: the name of a caller, `none` for no header; `scheme`: the scheme before it;
 * `chunked`: without Content-Length; a header `null` is not sent.
 * @param {{ url: string, secret: string }} server `url`: with the path `/storage/v1` behind a gateway, without a path for the storage server itself
 */
export function makeClient({ url, secret }) {
  const { hostname, port, pathname } = new URL(url)
  const prefix = pathname.replace(/\/$/, '')
  const tokens = makeTokens(secret)
  const send = ({ method = 'GET', path, token = 'service', scheme = 'Bearer ', headers = {}, chunked = false, ...content }) => {
    const [type, body] = encodeBody(content)
    const all = {
      host: `${hostname}:${port}`,
      // The gateway in front of the storage server sends this header, from which the server makes its URLs.
      'x-forwarded-prefix': prefix === '' ? PREFIX : null,
      authorization: token === 'none' ? null : scheme + (tokens[token] ?? token),
      'content-type': type ?? null,
      'content-length': body === undefined || chunked ? null : body.length,
      ...headers,
    }
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
    return new Promise((done, failed) => {
      const outgoing = request(
        { host: hostname, port, path: prefix + path, method, headers: sent, agent: false, timeout: 20_000 },
        (response) => {
          const chunks = []
          response.on('data', (chunk) => chunks.push(chunk))
          response.on('end', () =>
            done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
          )
          response.on('error', failed)
        },
      )
      outgoing.on('timeout', () => outgoing.destroy(new Error(`no response to ${method} ${path}`)))
      outgoing.on('error', failed)
      if (chunked && body !== undefined) outgoing.write(body)
      outgoing.end(chunked ? undefined : body)
    })
  }
  return { send, secret }
}
