import { formatDay } from '@/lib/dates'
import type { CardProps } from '../card-props'
import type { CitizenEntry } from '../entry'
import { EntryActions } from '../EntryActions'
import { EntryRow } from '../EntryRow'

export function CitizenCard({ entry, number, onView }: CardProps<CitizenEntry>) {
  const { row } = entry
  return (
    <EntryRow
      number={number}
      name={entry.name}
      facts={[
        ['Type', row.nomination_type],
        ['Age', row.nominee_age],
        ['Nominated by', row.nominator_name],
        ['Submitted', formatDay(entry.createdAt)],
      ]}
      actions={<EntryActions entry={entry} viewLabel="View Details" onView={onView} canDownload={false} />}
    >
      <p>{row.key_achievement}</p>
    </EntryRow>
  )
}
