/** Requests of the S3 protocol, signed with AWS Signature Version 4. */
import { createHash, createHmac } from 'node:crypto'

const hmac = (key, text) => createHmac('sha256', key).update(text).digest()

/**
 * Sends a request to a running program (`start()`) at a path below its S3 endpoint. The parameters of the query must be in alphabetical
 * order. The path and the query may contain only characters that need no encoding.
 * @param {{ keys: Record<string, string> }} cloch
 * @param {string} method
 * @param {string} path
 * @param {{ headers?: Record<string, string>, body?: any }} [request]
 */
export async function askS3(cloch, method, path, { headers = {}, body } = {}) {
  const { STORAGE_S3_URL, S3_PROTOCOL_REGION, S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET } = cloch.keys
  const url = new URL(STORAGE_S3_URL + path)
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${date.slice(0, 8)}/${S3_PROTOCOL_REGION}/s3/aws4_request`
  const query = [...url.searchParams].map(([name, value]) => `${name}=${value}`).join('&')
  // All headers whose names begin with `x-amz-` must be signed.
  const amazon = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]).filter(([name]) => name.startsWith('x-amz-'))
  const signed = [['host', url.host], ['x-amz-date', date], ...amazon].sort(([one], [other]) => (one < other ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const canonical = `${method}\n${url.pathname}\n${query}\n${signed.map(([name, value]) => `${name}:${value}\n`).join('')}\n${names}\nUNSIGNED-PAYLOAD`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const key = scope.split('/').reduce(hmac, `AWS4${S3_PROTOCOL_ACCESS_KEY_SECRET}`)
  const signature = createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${date}\n${scope}\n${digest}`).digest('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${S3_PROTOCOL_ACCESS_KEY_ID}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return fetch(url, { method, body, headers: { ...headers, authorization, 'x-amz-date': date } })
}

/** Returns a presigned URL of an object. It is valid for a minute, and sets the given headers of the response (`response-content-type`, …). */
export function presignS3(cloch, path, overrides = {}) {
  const { STORAGE_S3_URL, S3_PROTOCOL_REGION, S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET } = cloch.keys
  const url = new URL(STORAGE_S3_URL + path)
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${date.slice(0, 8)}/${S3_PROTOCOL_REGION}/s3/aws4_request`
  const parameters = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${S3_PROTOCOL_ACCESS_KEY_ID}/${scope}`,
    'X-Amz-Date': date,
    'X-Amz-Expires': '60',
    'X-Amz-SignedHeaders': 'host',
    ...overrides,
  }
  const query = Object.entries(parameters)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  const canonical = `GET\n${url.pathname}\n${query}\nhost:${url.host}\n\nhost\nUNSIGNED-PAYLOAD`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const key = scope.split('/').reduce(hmac, `AWS4${S3_PROTOCOL_ACCESS_KEY_SECRET}`)
  const signature = createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${date}\n${scope}\n${digest}`).digest('hex')
  return `${url.origin}${url.pathname}?${query}&X-Amz-Signature=${signature}`
}
