/** What was run in this browser, newest first. It stays here: the server keeps no statements. */

export interface Ran {
  at: string
  sql: string
  ms: number
  failed: boolean
}

/** Entries that are kept, and the characters of one. */
const [most, longest] = [100, 20_000]
const keyOf = (operator: string) => `cloch.sql.history.${operator}`

export function readHistory(operator: string): Ran[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(operator)) ?? '[]')
    return Array.isArray(stored) ? (stored as Ran[]) : []
  } catch {
    return []
  }
}

export function addHistory(operator: string, ran: Ran): Ran[] {
  const before = readHistory(operator).filter(({ sql }) => sql !== ran.sql)
  const next = ran.sql.length > longest ? before : [ran, ...before].slice(0, most)
  try {
    localStorage.setItem(keyOf(operator), JSON.stringify(next))
  } catch {
    // The store is full: the oldest half goes.
    localStorage.setItem(keyOf(operator), JSON.stringify(next.slice(0, most / 2)))
  }
  return next
}

export function clearHistory(operator: string) {
  localStorage.removeItem(keyOf(operator))
}
