import { useNavigate } from 'react-router'

/** Opens the page SQL with a text in a new tab, without running it. */
export function useOpenInSql() {
  const navigate = useNavigate()
  return (sql: string) => void navigate('/sql', { state: { sql } })
}

/** The text that another page passed to the page SQL. */
export const sqlOf = (state: unknown): string | undefined =>
  typeof state === 'object' && state !== null && 'sql' in state && typeof state.sql === 'string' ? state.sql : undefined
