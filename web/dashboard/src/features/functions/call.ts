/** A test call of a function: the request to the dashboard's API, and its response. */
import type { As } from '@/lib/as'

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const

export type BodyKind = 'none' | 'json' | 'text'

export interface Pair {
  name: string
  value: string
}

/** The call as entered in the form. */
export interface Draft {
  as: As
  method: string
  /** Path that is added to the function's URL. */
  path: string
  query: readonly Pair[]
  headers: readonly Pair[]
  bodyKind: BodyKind
  body: string
  /** Seconds for which the response's body is read. */
  seconds: string
}

export const firstDraft: Draft = {
  as: { role: 'anon' },
  method: 'POST',
  path: '',
  query: [],
  headers: [],
  bodyKind: 'json',
  body: '{}',
  seconds: '10',
}

export interface CallResponse {
  request_id: string
  started_at: string
  ended_at: string
  status: number
  status_text: string | null
  headers: [name: string, value: string][]
  head_ms: number
  total_ms: number
  /** The body's bytes in base64. */
  body: string
  ended: 'complete' | 'bytes' | 'seconds' | 'broken'
  body_seconds: number
  max_body_bytes: number
}

/** Whether a request with this method has a body. */
export const hasBody = (method: string) => method !== 'GET' && method !== 'HEAD'

const typed = (pairs: readonly Pair[]) =>
  pairs.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), value] as const]))

const contentTypes = { json: 'application/json', text: 'text/plain;charset=UTF-8' }

/**
 * The request body for the server. If the user has entered a Content-Type header, it is used in place of the Content-Type for the kind of the body.
 */
export function requestOf(draft: Draft) {
  const { as, method, path, bodyKind, body, seconds } = draft
  const sends = hasBody(method) && bodyKind !== 'none'
  const headers = typed(draft.headers)
  const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type')
  return {
    as,
    method,
    path: path === '' || path.startsWith('/') ? path : `/${path}`,
    query: typed(draft.query),
    headers: sends && !isTyped ? [...headers, ['content-type', contentTypes[bodyKind]] as const] : headers,
    ...(sends ? { body } : {}),
    body_seconds: Number(seconds),
  }
}

/** The reason why the call cannot be sent yet, and the field that the user must change. */
export function problemOf({ as, method, bodyKind, body }: Draft): { field: 'as' | 'body'; text: string } | undefined {
  if ('user' in as && as.user === '') return { field: 'as', text: 'Choose a user.' }
  if (bodyKind !== 'json' || !hasBody(method)) return undefined
  try {
    JSON.parse(body)
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { field: 'body', text: `This is no JSON: ${reason}. To send it as it is, choose Text.` }
  }
}

export const bytesOf = (base64: string) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** The form in which the body of a response is shown. */
export type Shown = { kind: 'empty' } | { kind: 'json' | 'text'; text: string } | { kind: 'binary'; bytes: number }

/** Decides how a body is shown: JSON with line breaks, other text unchanged. A body that is not a text can only be downloaded. */
export function shownBody({ body, ended }: Pick<CallResponse, 'body' | 'ended'>): Shown {
  const bytes = bytesOf(body)
  if (bytes.length === 0) return { kind: 'empty' }
  const text = textOf(bytes, ended === 'complete')
  if (text === undefined) return { kind: 'binary', bytes: bytes.length }
  return pretty(text) ?? { kind: 'text', text }
}

/** Decodes the bytes. `undefined` if they are not a text. If the body was cut off, it may end in the middle of a character. */
function textOf(bytes: Uint8Array, isComplete: boolean): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isComplete })
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Formats JSON objects and lists. `undefined` for other JSON: a body that is a number is shown unchanged. */
function pretty(text: string): Shown | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return { kind: 'json', text: JSON.stringify(JSON.parse(text), null, 2) }
  } catch {
    return undefined
  }
}

/** The reason why only a part of the body is shown. `undefined` if the whole body is shown. */
export function cutBody({ ended, body_seconds: seconds, max_body_bytes: bytes }: CallResponse): string | undefined {
  switch (ended) {
    case 'complete':
      return undefined
    case 'bytes':
      return `The response is larger than ${Math.floor(bytes / 1_048_576)} MiB: the rest was not read.`
    case 'seconds':
      return `The response had not ended after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}: this is what had come by then.`
    case 'broken':
      return 'The function broke the response off. The log may say why.'
  }
}

/** Log lines of a call may arrive up to this number of milliseconds after its end. */
const logDelayMs = 5000

/**
 * The filter for the log lines of a call. It matches the call's own lines, and lines without a request id that were written in the same period, such
 * as uncaught errors.
 */
export const logFilter = ({ request_id, started_at, ended_at }: CallResponse) => ({
  request: request_id,
  start: started_at,
  end: new Date(new Date(ended_at).getTime() + logDelayMs).toISOString(),
  limit: 200,
})

/** File name for a downloaded body. */
export function fileName(name: string, headers: CallResponse['headers']): string {
  const type =
    headers
      .find(([header]) => header === 'content-type')?.[1]
      .split(';')[0]
      ?.trim() ?? ''
  const known: Record<string, string> = {
    'application/json': 'json',
    'text/html': 'html',
    'text/plain': 'txt',
    'text/csv': 'csv',
    'image/png': 'png',
    'image/jpeg': 'jpg',
    'image/svg+xml': 'svg',
    'application/pdf': 'pdf',
    'application/zip': 'zip',
  }
  return `${name}.${known[type] ?? 'bin'}`
}
