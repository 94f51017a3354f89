import type { Department } from '../departments/queries/list-departments'
import type { School } from '../schools/queries/list-schools'
import type { Sheet } from '../shared/csv'
import { departmentsOf } from './departments-of'
import type { Contact } from './queries/list-contacts'
import { statusLabels } from './status'

/** Spreadsheets of the three tables, with names instead of ids. */

export function schoolSheet(schools: readonly School[]): Sheet {
  return schools.map(({ name, location, phone, email, notes }) => ({ name, location, phone, email, notes }))
}

export function departmentSheet(departments: readonly Department[]): Sheet {
  return departments.map(({ name, schools, notes }) => ({ name, school: schools?.name, notes }))
}

export function contactSheet(contacts: readonly Contact[]): Sheet {
  return contacts.map((contact) => {
    const departments = departmentsOf(contact)
    const { name, position, email, phone, status, notes } = contact
    return {
      name,
      position,
      schools: [...new Set(departments.map(({ schools }) => schools?.name ?? ''))],
      departments: departments.map((department) => department.name),
      email,
      phone,
      status: statusLabels[status],
      notes,
    }
  })
}
