import type { Entry } from './entry'

export const noSchool = 'No School Assigned'

export interface SchoolGroup<E extends Entry> {
  /** Undefined for the group of entries without a school. */
  school: { id: string; name: string } | undefined
  entries: E[]
}

const byName = new Intl.Collator('en-GB', { numeric: true })

/** Groups entries by school. The groups are in alphabetical order, entries without a school last. Within a group, entries keep their order. */
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
