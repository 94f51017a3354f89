import { memo, useMemo, type ReactNode } from 'react'
import { VirtualList } from '../shared/VirtualList'
import type { Entry } from './entry'
import { EntryCard } from './EntryCard'
import { noSchool } from './group-by-school'
import { GroupHeading } from './GroupHeading'
import { toListRows } from './list-rows'

interface EntryListProps {
  entries: readonly Entry[]
  /** What can be done with the entries that have no school. */
  noSchoolAction?: ReactNode
  onView: (id: string) => void
}

/** The entries of an award by school. */
export const EntryList = memo(function EntryList({ entries, noSchoolAction, onView }: EntryListProps) {
  const rows = useMemo(() => toListRows(entries), [entries])
  return (
    <VirtualList
      items={rows}
      keyOf={(row) => row.key}
      estimate={112}
      render={(row) =>
        row.kind === 'heading' ? (
          <GroupHeading
            title={row.school?.name ?? noSchool}
            count={row.count}
            action={row.school ? undefined : noSchoolAction}
          />
        ) : (
          <EntryCard entry={row.entry} number={row.number} onView={onView} />
        )
      }
    />
  )
})
