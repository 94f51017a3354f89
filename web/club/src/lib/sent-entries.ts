/**
 * Links to entries that this device stores at the request of the sender, so that the sender can open the entry after the panel with the link
 * was closed. Only the form, the time and the link's token are stored, but no answer, name or file. A visitor can delete the list, because the
 * device may be shared.
 */
import { useMemo, useSyncExternalStore } from 'react'

export interface SentFromHere {
  /** Name of the form, such as `young-artist`. */
  form: string
  token: string
  /** Time in ISO 8601. */
  sentAt: string
}

const name = 'kept-entries'
/** Earlier versions stored the link to every entry under this name, also on shared devices. */
const unasked = 'sent-entries'
/** The database ends a link after this number of milliseconds at the latest. */
const lifetime = 60 * 24 * 60 * 60 * 1000
/** Maximum number of listed entries: a class that enters from one computer would make a list of its pupils' entries. */
const most = 5

const listeners = new Set<() => void>()

function read(): string {
  try {
    return localStorage.getItem(name) ?? ''
  } catch {
    return ''
  }
}

function write(entries: readonly SentFromHere[]) {
  try {
    if (entries.length === 0) localStorage.removeItem(name)
    else localStorage.setItem(name, JSON.stringify(entries))
  } catch {
    // If the browser allows no storage, the panel still shows the link.
  }
  listeners.forEach((listener) => listener())
}

function parse(text: string): SentFromHere[] {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.filter(isAlive) : []
  } catch {
    return []
  }
}

function isAlive(one: Partial<SentFromHere> | null): one is SentFromHere {
  return (
    typeof one?.form === 'string' &&
    typeof one.sentAt === 'string' &&
    /^[0-9a-f]{64}$/.test(String(one.token)) &&
    Date.now() - Date.parse(one.sentAt) < lifetime
  )
}

/** Stores the link to an entry that was just sent, because the sender has ticked the box. */
export function keepSentEntry(form: string, token: string) {
  const others = parse(read()).filter((entry) => entry.token !== token)
  write([{ form, token, sentAt: new Date().toISOString() }, ...others].slice(0, most))
}

/** Deletes the link to one entry, or all links. */
export function forgetSentEntries(token?: string) {
  write(token === undefined ? [] : parse(read()).filter((entry) => entry.token !== token))
}

/** Deletes expired links (all links if entries are closed), and links that the sender did not want to keep. */
export function sweepSentEntries(isClosed: boolean) {
  try {
    localStorage.removeItem(unasked)
  } catch {
    // The browser allows no storage, so there are no links.
  }
  const text = read()
  if (text === '') return
  const kept = isClosed ? [] : parse(text)
  if (JSON.stringify(kept) !== text) write(kept)
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

/** The entries whose links this device keeps, the newest first. Empty while a page is rendered at build time. */
export function useSentEntries(): readonly SentFromHere[] {
  const text = useSyncExternalStore(subscribe, read, () => '')
  return useMemo(() => parse(text), [text])
}
