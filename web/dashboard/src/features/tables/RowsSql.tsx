import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Code } from '@/components/Copy'
import type { Change } from './edits'
import { sqlOf } from './use-edits'

/** How long somebody has stopped typing before the server is asked, in milliseconds. */
const PAUSE = 300
/** Letters of changes that are shown as SQL at once; more are shown on demand. */
const MAX_LETTERS = 20_000

/** The SQL of changes as it will run, which the server writes. */
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
