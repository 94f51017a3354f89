import { Pencil, Plus, Trash2 } from 'lucide-react'
import { formatDay } from '@/lib/dates'
import { Button } from '@cloch/ui/components/button'
import { BlockTable, type Column } from '../shared/BlockTable'
import { dueDate } from '../shared/due-date'
import { isOver } from './due'
import { entryState } from './entry-state'
import type { Season } from './queries/list-seasons'

interface SeasonListProps {
  seasons: readonly Season[]
  onAdd: () => void
  onEdit: (season: Season) => void
  onDelete: (season: Season) => void
}

/** The seasons. For each: when its forms are open, when its event takes place, and how long its personal data is kept. */
export function SeasonList({ seasons, onAdd, onEdit, onDelete }: SeasonListProps) {
  const columns: Column<Season>[] = [
    { name: 'Season', cell: ({ name }) => name, lead: true },
    { name: 'Entries', cell: (season) => entryState(season) },
    { name: 'Event', cell: ({ event_on }) => <span className="whitespace-nowrap">{dueDate(event_on)}</span> },
    { name: 'Personal data', cell: (season) => <Kept season={season} /> },
    {
      name: 'Actions',
      cell: (season) =>
        season.deleted_at === null ? (
          <div className="flex gap-1 max-md:flex-wrap no-print -ml-3">
            <Button size="icon" variant="ghost" aria-label={`Edit ${season.name}`} onClick={() => onEdit(season)}>
              <Pencil aria-hidden />
            </Button>
            {isOver(season) ? (
              <Button
                size="sm"
                variant="ghost"
                className="whitespace-nowrap"
                aria-label={`Delete the data of ${season.name}`}
                onClick={() => onDelete(season)}
              >
                <Trash2 aria-hidden />
                Delete data
              </Button>
            ) : null}
          </div>
        ) : (
          '-'
        ),
    },
  ]
  return (
    <section aria-labelledby="seasons" className="mt-12">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h2 id="seasons" className="text-[1.375rem] leading-tight">
          Seasons and privacy
        </h2>
        <Button size="sm" variant="outline" onClick={onAdd}>
          <Plus aria-hidden />
          Add Season
        </Button>
      </div>
      {seasons.length === 0 ? (
        <p className="text-muted-foreground">No seasons yet</p>
      ) : (
        <BlockTable label="Seasons" columns={columns} rows={seasons} />
      )}
    </section>
  )
}

function Kept({ season }: { season: Season }) {
  return season.deleted_at === null ? `kept until ${dueDate(season.due_on)}` : `deleted on ${formatDay(season.deleted_at)}`
}
