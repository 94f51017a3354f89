/** Requests to /_/api. All errors have the same form, and every request that changes something contains the session's CSRF token. */

const base = '/_/api'

/** Error of a request: the server refused the request or could not complete it. */
export class ApiError extends Error {
  readonly status: number
  /** Error code of the API, such as `signed_out`, `forbidden` or `database`. If there was no response, `network`. */
  readonly code: string
  readonly hint: string | undefined
  readonly details: unknown
  readonly requestId: string | undefined

  constructor(status: number, body: Partial<ErrorBody>, requestId?: string) {
    super(body.message ?? `The server answered ${status}.`)
    this.name = 'ApiError'
    this.status = status
    this.code = body.code ?? 'internal'
    this.hint = body.hint ?? undefined
    this.details = body.details
    this.requestId = requestId
  }
}

interface ErrorBody {
  code: string
  message: string
  hint?: string | null
  details?: unknown
}

/** Query parameters. Parameters that are undefined or empty are left out. */
export type Query = Record<string, string | number | boolean | undefined>

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

let csrf: string | undefined
let signedOut: () => void = () => undefined

/** Stores the CSRF token of the session. It is sent with every request that changes something. */
export function keepCsrf(token: string | undefined) {
  csrf = token
}

/** @param listener called when a response says that the session has ended */
export function onSignedOut(listener: () => void) {
  signedOut = listener
}

/** The headers that every request that changes something must have. */
export function changeHeaders(): Record<string, string> {
  return csrf === undefined ? {} : { 'x-cloch-csrf': csrf }
}

/** The URL for a path below /_/api. Use `path` to encode the variable parts of the path. */
export function apiUrl(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const text = new URLSearchParams(pairs).toString()
  return `${base}${path}${text && `?${text}`}`
}

/** Encodes the variable parts of a path: path`/users/${id}`. */
export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.reduce((text, part, at) => text + encodeURIComponent(values[at - 1] ?? '') + part)
}

/** Sends a request. Returns the JSON of the response, or undefined if the response has no body (204). @throws ApiError */
async function request<T>(method: Method, address: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  let response: Response
  try {
    response = await fetch(address, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(method === 'GET' ? {} : changeHeaders()),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, { code: 'network', message: 'The server cannot be reached.', hint: 'Check that cloch is running.' })
  }
  if (!response.ok) throw await refused(response)
  return (response.status === 204 || response.status === 202 ? undefined : await response.json()) as T
}

/** Creates the error for a response. If the session has ended, also notifies the app. */
export async function refused(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Partial<ErrorBody>
  const error = new ApiError(response.status, body, response.headers.get('x-request-id') ?? undefined)
  if (error.code === 'signed_out') signedOut()
  return error
}

export const get = <T>(at: string, query?: Query, signal?: AbortSignal) =>
  request<T>('GET', apiUrl(at, query), undefined, signal)
export const post = <T = undefined>(at: string, body: unknown = {}, signal?: AbortSignal) =>
  request<T>('POST', apiUrl(at), body, signal)
export const put = <T = undefined>(at: string, body: unknown = {}) => request<T>('PUT', apiUrl(at), body)
export const patch = <T = undefined>(at: string, body: unknown = {}) => request<T>('PATCH', apiUrl(at), body)
export const remove = <T = undefined>(at: string, query?: Query, body?: unknown) =>
  request<T>('DELETE', apiUrl(at, query), body)
