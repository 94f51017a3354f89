import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Code } from '@/components/Copy'
import type { Change } from './edits'
import { sqlOf } from './use-edits'

/** Milliseconds without a keystroke after which the server is asked for the SQL. */
const PAUSE = 300
/** Number of characters of changes up to which their SQL is shown at once. For more, it is shown on demand. */
const MAX_LETTERS = 20_000

/** Shows the SQL that will run for the changes. The server generates it. */
export function RowsSql({ changes }: { changes: readonly Change[] }) {
  const text = JSON.stringify(changes)
  const [asked, setAsked] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), PAUSE)
    return () => clearTimeout(timer)
  }, [text])
  const sql = useQuery({
    queryKey: ['sql-of-rows', asked],
    enabled: asked.length <= MAX_LETTERS,
    queryFn: ({ signal }) => sqlOf(JSON.parse(asked) as Change[], signal),
    placeholderData: keepPreviousData,
  })
  return sql.data && asked.length <= MAX_LETTERS ? <Code label="What will run" text={sql.data} /> : null
}
