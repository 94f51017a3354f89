import { formatDay } from '@/lib/dates'
import { Badge } from '@cloch/ui/components/badge'
import type { CardProps } from '../card-props'
import { isVocal, type MusicianEntry } from '../entry'
import { EntryActions } from '../EntryActions'
import { EntryRow } from '../EntryRow'

export function MusicianCard({ entry, number, onView }: CardProps<MusicianEntry>) {
  const { row } = entry
  const vocal = isVocal(row)
  return (
    <EntryRow
      number={number}
      name={entry.name}
      badge={
        <Badge tone={vocal ? 'heather' : 'firth'} className="capitalize">
          {row.category}
        </Badge>
      }
      facts={[
        ['Age', row.age],
        [vocal ? 'Voice Type' : 'Instrument', orElse(row.instrument, 'Not specified')],
        ['Submitted', formatDay(entry.createdAt)],
      ]}
      actions={<EntryActions entry={entry} viewLabel="View" onView={onView} canDownload={entry.school !== undefined} />}
    >
      {(row.piece_title ?? row.composer) ? (
        <p>
          <b>{orElse(row.piece_title, 'Untitled')}</b>
          {row.composer ? ` by ${row.composer}` : null}
        </p>
      ) : null}
    </EntryRow>
  )
}

function orElse(text: string | null, otherwise: string): string {
  return text === null || text.trim() === '' ? otherwise : text
}
