/** The statements that were run in this browser, newest first. They are stored only in the browser; the server stores none of them. */

export interface Ran {
  at: string
  sql: string
  ms: number
  failed: boolean
}

/** Maximum number of entries, and maximum length of one. */
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
  // If localStorage is full, older entries are left out until the others fit.
  for (let count = next.length; count > 0; count = Math.floor(count / 2)) {
    try {
      localStorage.setItem(keyOf(operator), JSON.stringify(next.slice(0, count)))
      break
    } catch {
      continue
    }
  }
  return next
}

export function clearHistory(operator: string) {
  localStorage.removeItem(keyOf(operator))
}
