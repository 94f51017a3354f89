import { formatDay } from '@/lib/dates'
import type { CardProps } from '../card-props'
import type { PhotographerEntry } from '../entry'
import { EntryActions } from '../EntryActions'
import { EntryRow } from '../EntryRow'

export function PhotographerCard({ entry, number, onView }: CardProps<PhotographerEntry>) {
  const { row } = entry
  return (
    <EntryRow
      number={number}
      name={entry.name}
      facts={[
        ['Age', row.age],
        ['Category', row.category],
        ['Submitted', formatDay(entry.createdAt)],
      ]}
      actions={<EntryActions entry={entry} viewLabel="View" onView={onView} canDownload />}
    >
      {row.photo_title ? <p className="font-bold">{row.photo_title}</p> : null}
      {row.photo_description ? <p>{row.photo_description}</p> : null}
    </EntryRow>
  )
}
