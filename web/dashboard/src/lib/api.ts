/** Requests to /_/api: errors in one form, and the session's CSRF token with every change. */

const base = '/_/api'

/** Error of a request that the server refused or could not complete. */
export class ApiError extends Error {
  readonly status: number
  /** A code of the API: `signed_out`, `forbidden`, `database`, … or `network` if there was no response. */
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

/** Query parameters. Undefined and empty values are left out. */
export type Query = Record<string, string | number | boolean | undefined>

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

let csrf: string | undefined
let signedOut: () => void = () => undefined

/** Stores the CSRF token of the session, which is sent with every change. */
export function keepCsrf(token: string | undefined) {
  csrf = token
}

/** @param listener called when a response says that the session has ended */
export function onSignedOut(listener: () => void) {
  signedOut = listener
}

/** Headers that every change must have. */
export function changeHeaders(): Record<string, string> {
  return csrf === undefined ? {} : { 'x-cloch-csrf': csrf }
}

/** URL of a path below /_/api. Variable parts of the path must be encoded: see `path`. */
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

/** The JSON of a response, or undefined if it has no body (204). @throws ApiError */
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

/** Creates the error for a response, and notifies the app if the session has ended. */
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
