import type { Entry } from './entry'
import { groupBySchool, noSchool } from './group-by-school'

/** A row of the list: either the heading of a school's group, or an entry with its position in the group. */
export type ListRow =
  | { kind: 'heading'; key: string; title: string; hasNoSchool: boolean; count: number }
  | { kind: 'entry'; key: string; entry: Entry; number: number }

/** The rows of all groups; withdrawn entries are last. */
export function toListRows(entries: readonly Entry[], withdrawn: readonly Entry[] = []): ListRow[] {
  const groups = groupBySchool(entries).flatMap(({ school, entries: group }) =>
    groupRows(`school-${school?.id ?? 'none'}`, school?.name ?? noSchool, !school, group),
  )
  return withdrawn.length === 0 ? groups : [...groups, ...groupRows('withdrawn', 'Withdrawn', false, withdrawn)]
}

function groupRows(key: string, title: string, hasNoSchool: boolean, entries: readonly Entry[]): ListRow[] {
  return [
    { kind: 'heading', key, title, hasNoSchool, count: entries.length },
    ...entries.map((entry, index): ListRow => ({ kind: 'entry', key: entry.id, entry, number: index + 1 })),
  ]
}
