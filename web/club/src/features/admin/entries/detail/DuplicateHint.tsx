import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { Link, useLocation } from 'react-router'
import { formatMoment } from '@/lib/dates'
import { awardNames } from '../../shared/award'
import { likelyDuplicates, sharingFiles } from '../duplicates'
import type { Entry } from '../entry'
import { sharedFilesQuery } from '../queries/shared-files'
import { allEntries } from '../submissions'
import type { Submissions } from '../submissions'

/** Links to other entries with the same name or with the same file. */
export function DuplicateHint({ entry, submissions }: { entry: Entry; submissions: Submissions }) {
  const { data: shared = [] } = useQuery(sharedFilesQuery)
  const all = allEntries(submissions)
  return (
    <>
      <Hint entries={likelyDuplicates(entry, all)}>Perhaps sent twice: there are other entries for this name.</Hint>
      <Hint entries={sharingFiles(entry, shared, all)}>The same file is in other entries.</Hint>
    </>
  )
}

function Hint({ entries, children }: { entries: readonly Entry[]; children: string }) {
  const { search } = useLocation()
  if (entries.length === 0) return null
  const address = (id: string) => {
    const params = new URLSearchParams(search)
    params.set('entry', id)
    return `/admin?${params.toString()}`
  }
  return (
    <div className="flex gap-3 bg-secondary p-4">
      <CircleAlert aria-hidden className="mt-0.5" />
      <div>
        <p className="font-strong">{children}</p>
        <ul>
          {entries.map((other) => (
            <li key={other.id}>
              <Link to={address(other.id)}>
                {awardNames[other.award].short}: {other.name}, submitted {formatMoment(other.createdAt)}
              </Link>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
