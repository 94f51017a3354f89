import { departmentsOf } from './departments-of'
import type { Contact } from './queries/list-contacts'

export const unknownSchool = 'Unknown School'

/** A row of the list: the name of a school, or a contact. */
export type ContactRow =
  { kind: 'heading'; key: string; name: string; count: number } | { kind: 'contact'; key: string; contact: Contact }

const byName = new Intl.Collator('en-GB', { numeric: true })

/** Groups contacts by school, in alphabetical order. A contact with departments in several schools is in each of their groups. */
export function groupContacts(contacts: readonly Contact[]): ContactRow[] {
  const groups = new Map<string, Contact[]>()
  for (const contact of contacts) {
    const names = departmentsOf(contact).map(({ schools }) => schools?.name ?? unknownSchool)
    for (const name of new Set(names.length > 0 ? names : [unknownSchool])) {
      const group = groups.get(name)
      if (group) group.push(contact)
      else groups.set(name, [contact])
    }
  }
  return [...groups]
    .sort(([a], [b]) => byName.compare(a, b))
    .flatMap(([name, group]): ContactRow[] => [
      { kind: 'heading', key: `school-${name}`, name, count: group.length },
      ...group.map((contact): ContactRow => ({ kind: 'contact', key: `${name}-${contact.id}`, contact })),
    ])
}
