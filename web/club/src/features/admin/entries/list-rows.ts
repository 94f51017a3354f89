import type { Entry } from './entry'
import { groupBySchool } from './group-by-school'

/** A line of the list: the heading of a school's group, or an entry with its number in the group. */
export type ListRow =
  | { kind: 'heading'; key: string; school: { id: string; name: string } | undefined; count: number }
  | { kind: 'entry'; key: string; entry: Entry; number: number }

/** The groups one under the other, as lines. */
export function toListRows(entries: readonly Entry[]): ListRow[] {
  return groupBySchool(entries).flatMap(({ school, entries: group }): ListRow[] => [
    { kind: 'heading', key: `school-${school?.id ?? 'none'}`, school, count: group.length },
    ...group.map((entry, index): ListRow => ({ kind: 'entry', key: entry.id, entry, number: index + 1 })),
  ])
}
