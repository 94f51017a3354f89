import { useNavigate } from 'react-router'

/** Returns a function that opens a text in a new tab of the page SQL. The text is not run. */
export function useOpenInSql() {
  const navigate = useNavigate()
  return (sql: string) => void navigate('/sql', { state: { sql } })
}

/** The text that another page has passed to the page SQL. */
export const sqlOf = (state: unknown): string | undefined =>
  typeof state === 'object' && state !== null && 'sql' in state && typeof state.sql === 'string' ? state.sql : undefined
