/** Requests to /_/api: one error form, the session's token on every change. */

const base = '/_/api'

/** What the server says about a request that it refused or could not finish. */
export class ApiError extends Error {
  readonly status: number
  /** One of the contract's codes: `signed_out`, `forbidden`, `database`, … or `network` when no answer came. */
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

/** Values of a query string; what is undefined or empty is left out. */
export type Query = Record<string, string | number | boolean | undefined>

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

let csrf: string | undefined
let signedOut: () => void = () => undefined

/** Called with each session that the server gives: its token goes with every change. */
export function keepCsrf(token: string | undefined) {
  csrf = token
}

/** @param listener called when the server says that the session has ended */
export function onSignedOut(listener: () => void) {
  signedOut = listener
}

/** Headers that every change must carry. */
export function changeHeaders(): Record<string, string> {
  return csrf === undefined ? {} : { 'x-cloch-csrf': csrf }
}

/** The address of a path below /_/api; the path's variable parts must be encoded: see `path`. */
export function apiUrl(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const text = new URLSearchParams(pairs).toString()
  return `${base}${path}${text && `?${text}`}`
}

/** A path whose variable parts are encoded: path`/users/${id}`. */
export function path(parts: TemplateStringsArray, ...values: (string | number)[]): string {
  return parts.reduce((text, part, at) => text + encodeURIComponent(values[at - 1] ?? '') + part)
}

/** An answer's JSON, or undefined where there is none (204). @throws ApiError */
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

/** The error of an answer; tells the app when the session has ended. */
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
