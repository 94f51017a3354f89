import { expect, it } from 'vitest'
import { filterContacts } from './filter'
import { groupContacts } from './group-contacts'
import type { Contact, ContactDepartment } from './queries/list-contacts'

const department = (id: string, school: string): ContactDepartment => ({
  id,
  name: id,
  school_id: school,
  schools: { id: school, name: school },
})
const art = department('art', 'Kempock')
const music = department('music', 'Ashton')

function contact(name: string, status: Contact['status'], departments: ContactDepartment[]): Contact {
  return {
    id: name,
    name,
    status,
    department: departments[0] ?? null,
    contact_departments: departments.map((each) => ({ departments: each })),
  } as Contact
}

const contacts = [
  contact('Both', 'declined', [art, music]),
  contact('None', 'declined', []),
  contact('Music', 'no_response', [music]),
]

it('a contact is listed under each of its schools; one without a school under "Unknown School"', () => {
  const lines = groupContacts(contacts).map((row) => (row.kind === 'heading' ? `# ${row.name}` : row.contact.name))
  expect(lines).toEqual(['# Ashton', 'Both', 'Music', '# Kempock', 'Both', '# Unknown School', 'None'])
})

it.each([
  [{ school: '', department: '', status: '' }, ['Both', 'None', 'Music']],
  [{ school: 'Ashton', department: '', status: '' }, ['Both', 'Music']],
  [{ school: 'Ashton', department: 'music', status: 'declined' }, ['Both']],
  [{ school: '', department: '', status: 'ready_for_collection' }, []],
])('%j', (filter, names) => {
  expect(filterContacts(contacts, filter).map(({ name }) => name)).toEqual(names)
})
