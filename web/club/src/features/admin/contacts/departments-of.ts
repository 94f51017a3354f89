import type { Contact, ContactDepartment } from './queries/list-contacts'

/** The departments of a contact, the main one first. */
export function departmentsOf(contact: Contact): ContactDepartment[] {
  const linked = contact.contact_departments.flatMap(({ departments }) => departments ?? [])
  const main = contact.department
  if (!main) return linked
  return [main, ...linked.filter(({ id }) => id !== main.id)]
}
