import type { ChecklistItem } from '../checklist/queries/list-items'
import { departmentsOf } from '../contacts/departments-of'
import type { Contact } from '../contacts/queries/list-contacts'
import { statusLabels } from '../contacts/status'
import type { Department } from '../departments/queries/list-departments'
import { awardNames } from '../entries/award'
import type { Guest } from '../guests/queries/list-guests'
import { categoryLabels } from '../judges/categories'
import { categoriesOf, type Judge } from '../judges/queries/list-judges'
import type { OfflineCount } from '../offline/queries/list-counts'
import type { School } from '../schools/queries/list-schools'
import type { Sheet } from './csv'

/** Each table as a spreadsheet: what people read, no keys. */

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

export function offlineSheet(counts: readonly OfflineCount[]): Sheet {
  return counts.map(({ schools, category, count, notes }) => ({
    school: schools?.name,
    category: awardNames[category].short,
    count,
    notes,
  }))
}

export function judgeSheet(judges: readonly Judge[]): Sheet {
  return judges.map((judge) => {
    const { name, email, phone, notes } = judge
    return { name, categories: categoriesOf(judge).map((category) => categoryLabels[category]), email, phone, notes }
  })
}

export function checklistSheet(items: readonly ChecklistItem[]): Sheet {
  return items.map(({ is_completed, item_name, category, due_date, notes }) => ({
    done: is_completed,
    item: item_name,
    category,
    due_date,
    notes,
  }))
}

/** In the order in which the import reads the columns. */
export function guestSheet(guests: readonly Guest[]): Sheet {
  return guests.map(({ name, email, phone, organization, status, notes }) => ({
    name,
    email,
    phone,
    organization,
    status,
    notes,
  }))
}
