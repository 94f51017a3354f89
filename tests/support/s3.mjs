/** Requests of the S3 protocol, signed as AWS Signature Version 4 wants it. */
import { createHash, createHmac } from 'node:crypto'

const hmac = (key, text) => createHmac('sha256', key).update(text).digest()

/**
 * Asks a running program (`start()`) at a path below its S3 endpoint. The query's parameters come in alphabetical order, and path
 * and query need no encoding.
 */
export async function askS3(cloch, method, path, { headers = {}, body } = {}) {
  const { STORAGE_S3_URL, S3_PROTOCOL_REGION, S3_PROTOCOL_ACCESS_KEY_ID, S3_PROTOCOL_ACCESS_KEY_SECRET } = cloch.keys
  const url = new URL(STORAGE_S3_URL + path)
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${date.slice(0, 8)}/${S3_PROTOCOL_REGION}/s3/aws4_request`
  const query = [...url.searchParams].map(([name, value]) => `${name}=${value}`).join('&')
  const names = 'host;x-amz-date'
  const canonical = `${method}\n${url.pathname}\n${query}\nhost:${url.host}\nx-amz-date:${date}\n\n${names}\nUNSIGNED-PAYLOAD`
  const digest = createHash('sha256').update(canonical).digest('hex')
  const key = scope.split('/').reduce(hmac, `AWS4${S3_PROTOCOL_ACCESS_KEY_SECRET}`)
  const signature = createHmac('sha256', key).update(`AWS4-HMAC-SHA256\n${date}\n${scope}\n${digest}`).digest('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${S3_PROTOCOL_ACCESS_KEY_ID}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return fetch(url, { method, body, headers: { ...headers, authorization, 'x-amz-date': date } })
}
