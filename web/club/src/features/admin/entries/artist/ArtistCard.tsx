import { formatDay } from '@/lib/dates'
import type { CardProps } from '../card-props'
import type { ArtistEntry } from '../entry'
import { EntryActions } from '../EntryActions'
import { EntryRow } from '../EntryRow'

export function ArtistCard({ entry, number, onView }: CardProps<ArtistEntry>) {
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
      {row.artwork_title ? <p className="font-bold">{row.artwork_title}</p> : null}
      {row.medium ? <p>{row.medium}</p> : null}
    </EntryRow>
  )
}
