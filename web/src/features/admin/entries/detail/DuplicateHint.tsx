import { CircleAlert } from 'lucide-react'
import { Link, useLocation } from 'react-router'
import { formatMoment } from '@/lib/dates'
import type { Entry } from '../entry'

/** Says that there are other entries for the same name, and leads to them. */
export function DuplicateHint({ duplicates }: { duplicates: readonly Entry[] }) {
  const { search } = useLocation()
  if (duplicates.length === 0) return null
  const address = (id: string) => {
    const params = new URLSearchParams(search)
    params.set('entry', id)
    return `/admin?${params.toString()}`
  }
  return (
    <div className="flex gap-3 bg-secondary p-4">
      <CircleAlert aria-hidden className="mt-0.5" />
      <div>
        <p className="font-strong">Perhaps sent twice: there are other entries for this name.</p>
        <ul>
          {duplicates.map((other) => (
            <li key={other.id}>
              <Link to={address(other.id)}>Submitted {formatMoment(other.createdAt)}</Link>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
