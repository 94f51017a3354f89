import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { dueDate } from '../shared/due-date'
import { overdue } from './due'
import type { Season } from './queries/list-seasons'

interface SeasonNoticeProps {
  seasons: readonly Season[]
  hasEntries: boolean
  onAdd: () => void
  onDelete: (season: Season) => void
}

/**
 * A reminder of the promise in the privacy notice. Shown if the data of a season should be deleted by now, or if there are entries of a season that
 * has no dates.
 */
export function SeasonNotice({ seasons, hasEntries, onAdd, onDelete }: SeasonNoticeProps) {
  const late = overdue(seasons)
  const isDated = seasons.some(({ deleted_at }) => deleted_at === null)
  return (
    <>
      {late.map((season) => (
        <Reminder
          key={season.id}
          action={
            <Button size="sm" onClick={() => onDelete(season)}>
              Show what would go
            </Button>
          }
        >
          The personal data of {season.name} was due for deletion on {dueDate(season.due_on)}, as the privacy notice promises.
        </Reminder>
      ))}
      {hasEntries && !isDated ? (
        <Reminder
          action={
            <Button size="sm" variant="outline" onClick={onAdd}>
              Set the date
            </Button>
          }
        >
          Nothing reminds you yet to delete this season’s personal data: the date of its event is not known.
        </Reminder>
      ) : null}
    </>
  )
}

function Reminder({ children, action }: { children: ReactNode; action: ReactNode }) {
  return (
    <div data-above-notices role="status" className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 rounded bg-secondary p-4">
      <CircleAlert aria-hidden />
      <p className="min-w-0 flex-1 basis-64 font-strong">{children}</p>
      {action}
    </div>
  )
}
