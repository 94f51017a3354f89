import { memo, useMemo, type ReactNode } from 'react'
import { VirtualList } from '../shared/VirtualList'
import type { Entry } from './entry'
import { EntryCard } from './EntryCard'
import { GroupHeading } from './GroupHeading'
import { toListRows } from './list-rows'

interface EntryListProps {
  entries: readonly Entry[]
  /** Withdrawn entries. They are shown in a separate group. */
  withdrawn: readonly Entry[]
  /** Action in the heading of the entries without a school. */
  noSchoolAction?: ReactNode
  onView: (id: string) => void
}

/** The entries of an award, grouped by school. */
export const EntryList = memo(function EntryList({ entries, withdrawn, noSchoolAction, onView }: EntryListProps) {
  const rows = useMemo(() => toListRows(entries, withdrawn), [entries, withdrawn])
  return (
    <VirtualList
      items={rows}
      keyOf={(row) => row.key}
      estimate={112}
      render={(row) =>
        row.kind === 'heading' ? (
          <GroupHeading title={row.title} count={row.count} action={row.hasNoSchool ? noSchoolAction : undefined} />
        ) : (
          <EntryCard entry={row.entry} number={row.number} onView={onView} />
        )
      }
    />
  )
})
