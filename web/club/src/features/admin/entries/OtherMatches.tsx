import { memo, useMemo } from 'react'
import { Link } from 'react-router'
import { awardNames, awards, type Award } from '../shared/award'
import type { Entry } from './entry'
import { searchEntries } from './search'
import type { Submissions } from './submissions'

interface OtherMatchesProps {
  award: Award
  submissions: Submissions
  query: string
  /** Number of matching entries in this award. */
  found: number
}

/** Shows how many entries match the search in this award, and how many match in the other awards. */
export const OtherMatches = memo(function OtherMatches({ award, submissions, query, found }: OtherMatchesProps) {
  const others = useMemo(() => {
    if (query.trim() === '') return []
    return awards
      .filter((other) => other !== award)
      .map((other) => {
        const entries: readonly Entry[] = submissions[other] ?? []
        return { other, count: searchEntries(entries, query).length }
      })
      .filter(({ count }) => count > 0)
  }, [award, submissions, query])

  if (query.trim() === '') return null
  return (
    <p role="status" className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-muted-foreground">
      <span>{found === 1 ? '1 entry found' : `${found} entries found`}</span>
      {others.map(({ other, count }) => (
        <Link key={other} to={`/admin?${new URLSearchParams({ tab: other, q: query }).toString()}`}>
          {count} more in {awardNames[other].short}
        </Link>
      ))}
    </p>
  )
})
