import { useMemo } from 'react'
import { Link } from 'react-router'
import type { Submissions } from '../entries/submissions'
import { awardNames } from '../shared/award'
import { withoutSchool } from './school-totals'

/** The number of entries without a school, with links to these entries. */
export function WithoutSchool({ submissions }: { submissions: Submissions }) {
  const awards = useMemo(() => withoutSchool(submissions), [submissions])
  const total = awards.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  return (
    <p className="mt-3.5 flex flex-wrap gap-x-4 gap-y-1">
      <span>{total === 1 ? '1 entry has no school yet:' : `${total} entries have no school yet:`}</span>
      {awards.map(({ award, count }) => (
        <Link key={award} to={`/admin?tab=${award}`}>
          {count} in {awardNames[award].short}
        </Link>
      ))}
    </p>
  )
}
