import { departmentsOf } from './departments-of'
import type { Contact } from './queries/list-contacts'

/** The required value of each property, or '' if every value matches. */
export interface ContactFilter {
  school: string
  department: string
  status: string
}

export function isActive(filter: ContactFilter): boolean {
  return filter.school !== '' || filter.department !== '' || filter.status !== ''
}

export function filterContacts(contacts: readonly Contact[], filter: ContactFilter): readonly Contact[] {
  if (!isActive(filter)) return contacts
  return contacts.filter((contact) => {
    if (filter.status !== '' && contact.status !== filter.status) return false
    const departments = departmentsOf(contact)
    if (filter.department !== '') return departments.some(({ id }) => id === filter.department)
    return filter.school === '' || departments.some(({ school_id }) => school_id === filter.school)
  })
}
