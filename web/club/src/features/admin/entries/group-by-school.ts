import type { Entry } from './entry'

export const noSchool = 'No School Assigned'

export interface SchoolGroup<E extends Entry> {
  /** Undefined for the entries without a school. */
  school: { id: string; name: string } | undefined
  entries: E[]
}

const byName = new Intl.Collator('en-GB', { numeric: true })

/** Schools in alphabetical order, the entries without a school last; within a group the order stays. */
export function groupBySchool<E extends Entry>(entries: readonly E[]): SchoolGroup<E>[] {
  const groups = new Map<string | undefined, SchoolGroup<E>>()
  for (const entry of entries) {
    const group = groups.get(entry.school?.id)
    if (group) group.entries.push(entry)
    else groups.set(entry.school?.id, { school: entry.school, entries: [entry] })
  }
  return [...groups.values()].sort((a, b) => {
    if (!a.school || !b.school) return a.school ? -1 : 1
    return byName.compare(a.school.name, b.school.name)
  })
}
