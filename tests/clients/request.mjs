/**
 * Sends a request exactly as its client writes it. Repeated header lines, chunked bodies and unusual paths reach the server unchanged (`fetch` would
 * merge or refuse them).
 */
import { request as httpRequest } from 'node:http'
import { gunzipSync } from 'node:zlib'

const BOUNDARY = '----replayed-multipart-boundary'
const TIMEOUT_MS = 30_000

/** Returns a body as bytes, with the content type that the client library derives from the body. */
function bodyOf({ json, text, base64, size, form }) {
  if (json !== undefined) return { bytes: Buffer.from(JSON.stringify(json)) }
  if (text !== undefined) return { bytes: Buffer.from(text) }
  if (base64 !== undefined) return { bytes: Buffer.from(base64, 'base64') }
  if (size !== undefined) return { bytes: Buffer.alloc(size, 'x') }
  if (form !== undefined) return { bytes: multipart(form), type: `multipart/form-data; boundary=${BOUNDARY}` }
  return {}
}

/** Builds the parts of a form. Each part has its own headers, because clients differ in these headers. */
function multipart(parts) {
  const lines = parts.flatMap(({ name, filename, headers = {}, ...content }) => {
    const disposition = `form-data; name=${JSON.stringify(name)}${filename === undefined ? '' : `; filename=${JSON.stringify(filename)}`}`
    const head = [`Content-Disposition: ${disposition}`, ...Object.entries(headers).map(([key, value]) => `${key}: ${value}`)]
    return [Buffer.from(`--${BOUNDARY}\r\n${head.join('\r\n')}\r\n\r\n`), bodyOf(content).bytes, Buffer.from('\r\n')]
  })
  return Buffer.concat([...lines, Buffer.from(`--${BOUNDARY}--\r\n`)])
}

/**
 * @param {string} url URL of the server
 * @param {{ method: string, path: string, headers: Record<string, string | string[]>, chunked?: boolean, until?: string }} the request. Its further
 *   properties are those of the body (see bodyOf). `until`: the answer is a stream, and the client stops reading when it has received this text
 * @returns {Promise<{ status: number, headers: Record<string, string>, body: Buffer, text: string, json: any }>}
 */
export function send(url, { method, path, headers, chunked = false, until, ...body }) {
  const { bytes, type } = bodyOf(body)
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries({ Host: host, ...headers }).flatMap(([name, value]) => [value].flat().flatMap((one) => [name, one]))
  const names = lines.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  if (type && !names.includes('content-type')) lines.push('Content-Type', type)
  if (chunked) lines.push('Transfer-Encoding', 'chunked')
  else if (bytes !== undefined || ['POST', 'PUT', 'PATCH'].includes(method)) lines.push('Content-Length', String(bytes?.length ?? 0))
  return new Promise((done, failed) => {
    const sent = httpRequest({ hostname, port, method, path, headers: lines, timeout: TIMEOUT_MS })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
    sent.on('error', failed)
    sent.on('response', (response) => {
      const parts = []
      const finish = () => done(answer(response, Buffer.concat(parts)))
      response.on('data', (part) => {
        parts.push(part)
        if (until === undefined || !Buffer.concat(parts).includes(until)) return
        finish()
        response.destroy()
      })
      response.on('end', finish)
      response.on('error', failed)
    })
    sent.end(bytes)
  })
}

function answer(response, received) {
  // A library that accepts compressed answers decompresses them itself.
  const body = response.headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received
  const text = body.toString()
  let json
  try {
    json = JSON.parse(text)
  } catch {
    json = undefined
  }
  return { status: response.statusCode, headers: response.headers, body, text, json }
}
