import { memo } from 'react'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { BlockTable, type Column } from '../shared/BlockTable'
import { Group } from '../shared/Group'
import type { Guest } from './queries/list-guests'
import { guestStatuses, statusLabels } from './status'

interface GuestGroupsProps {
  guests: readonly Guest[]
  columns: readonly Column<Guest>[]
  selected: ReadonlySet<string>
  onSelect: (ids: string[], on: boolean) => void
}

/** The guests, grouped by status. While the user types a search text, the groups are rendered again only if the result changes. */
export const GuestGroups = memo(function GuestGroups({ guests, columns, selected, onSelect }: GuestGroupsProps) {
  return guestStatuses.map((status) => {
    const group = guests.filter((guest) => guest.status === status)
    if (group.length === 0) return null
    const ids = group.map(({ id }) => id)
    const chosen = ids.filter((id) => selected.has(id)).length
    return (
      <Group
        key={status}
        title={statusLabels[status]}
        count={group.length === 1 ? '1 guest' : `${group.length} guests`}
        aside={
          <label className="grid size-11 cursor-pointer place-items-center no-print">
            <span className="sr-only">Select all: {statusLabels[status]}</span>
            <Checkbox
              checked={chosen === ids.length}
              ref={(box) => {
                if (box) box.indeterminate = chosen > 0 && chosen < ids.length
              }}
              onChange={(event) => onSelect(ids, event.target.checked)}
            />
          </label>
        }
      >
        <BlockTable label={`Guests: ${statusLabels[status]}`} columns={columns} rows={group} />
      </Group>
    )
  })
})
