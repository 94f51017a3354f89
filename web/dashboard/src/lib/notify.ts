import { ApiError } from './api'

/** A message in the corner of the page. */
export interface Notice {
  id: number
  kind: 'success' | 'error'
  title: string
  description: string | undefined
}

/** Milliseconds for which a success message is shown. Errors stay until they are closed. */
const successMs = 4000
/** Maximum number of messages shown at once. */
const most = 3

let shown: readonly Notice[] = []
let last = 0
const listeners = new Set<() => void>()

function show(next: readonly Notice[]) {
  shown = next
  listeners.forEach((listener) => listener())
}

function say(kind: Notice['kind'], title: string, description?: string) {
  last += 1
  const id = last
  show([...shown, { id, kind, title, description }].slice(-most))
  if (kind === 'success') window.setTimeout(() => dismiss(id), successMs)
}

export const dismiss = (id: number) => show(shown.filter((notice) => notice.id !== id))
export const notices = () => shown
export const onNotices = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const notifySuccess = (title: string, description?: string) => say('success', title, description)

/** Shows an error: what failed, a hint, and the request id, by which the request can be found in the log. */
export function notifyError(title: string, error?: unknown) {
  say('error', title, error === undefined ? undefined : describeError(error))
}

/** Describes an error in words for the operator. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const id = error.requestId === undefined ? '' : `Request ${error.requestId}.`
  const said = [error.message, error.hint].flatMap((text) => (text ? [sentence(text)] : []))
  return [...said, id].join(' ').trim()
}

/** Adds a full stop, unless the text already ends with a punctuation mark. */
export const sentence = (text: string) => (/[.!?:…)]$/.test(text) ? text : `${text}.`)
