import { useQuery } from '@tanstack/react-query'
import { Merge, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@cloch/ui/components/tabs'
import { DepartmentForm } from '../departments/DepartmentForm'
import { DepartmentList } from '../departments/DepartmentList'
import { DepartmentMerge } from '../departments/DepartmentMerge'
import { departmentsQuery } from '../departments/queries/list-departments'
import { schoolsQuery } from '../schools/queries/list-schools'
import { SchoolForm } from '../schools/SchoolForm'
import { SchoolList } from '../schools/SchoolList'
import { SchoolMerge } from '../schools/SchoolMerge'
import { ExportButton } from '../shared/ExportButton'
import { PanelHeading } from '../shared/PanelHeading'
import { useDashboardAddress } from '../shared/use-dashboard-address'
import { ContactForm } from './ContactForm'
import { ContactList } from './ContactList'
import { ContactMerge } from './ContactMerge'
import { contactsQuery } from './queries/list-contacts'
import { contactSheet, departmentSheet, schoolSheet } from './sheets'

const parts = [
  { name: 'contacts', label: 'Contacts', one: 'Contact', List: ContactList, Add: AddContact, MergeThem: ContactMerge },
  {
    name: 'departments',
    label: 'Departments',
    one: 'Department',
    List: DepartmentList,
    Add: AddDepartment,
    MergeThem: DepartmentMerge,
  },
  { name: 'schools', label: 'Schools', one: 'School', List: SchoolList, Add: AddSchool, MergeThem: SchoolMerge },
] as const

interface Closable {
  onClose: () => void
}

function AddContact({ onClose }: Closable) {
  return <ContactForm contact={undefined} onClose={onClose} />
}
function AddDepartment({ onClose }: Closable) {
  return <DepartmentForm department={undefined} onClose={onClose} />
}
function AddSchool({ onClose }: Closable) {
  return <SchoolForm school={undefined} onClose={onClose} />
}

/** The club's contacts, departments and schools. */
export function ContactManagement() {
  const { value, setValues } = useDashboardAddress()
  const [open, setOpen] = useState<'add' | 'merge'>()
  const queries = {
    contacts: useQuery(contactsQuery),
    departments: useQuery(departmentsQuery),
    schools: useQuery(schoolsQuery),
  }
  const part = parts.find(({ name }) => name === value('part')) ?? parts[0]
  // Each part shows names and counts from the other parts. Therefore it also reports their errors.
  const others = parts.filter(({ name }) => name !== part.name).map(({ name }) => queries[name])
  const sheet = () =>
    ({
      contacts: contactSheet(queries.contacts.data ?? []),
      departments: departmentSheet(queries.departments.data ?? []),
      schools: schoolSheet(queries.schools.data ?? []),
    })[part.name]
  const { List, Add, MergeThem } = part
  const close = () => setOpen(undefined)

  return (
    <>
      <PanelHeading title="Contact Management">
        <Button size="sm" onClick={() => setOpen('add')}>
          <Plus aria-hidden />
          Add {part.one}
        </Button>
        <Button size="sm" variant="outline" onClick={() => setOpen('merge')}>
          <Merge aria-hidden />
          Merge {part.label}
        </Button>
        <ExportButton name={part.name} sheet={sheet} />
      </PanelHeading>
      <Tabs value={part.name} onValueChange={(name) => setValues({ part: name })}>
        <TabsList aria-label="Contact Management">
          {parts.map(({ name, label }) => (
            <TabsTrigger key={name} value={name}>
              {label} ({queries[name].data?.length ?? '…'})
            </TabsTrigger>
          ))}
        </TabsList>
        <TabsContent value={part.name} tabIndex={-1}>
          <h2 className="sr-only">{part.label}</h2>
          <List onAdd={() => setOpen('add')} others={others} />
        </TabsContent>
      </Tabs>
      {open === 'add' ? <Add onClose={close} /> : null}
      {open === 'merge' ? <MergeThem onClose={close} /> : null}
    </>
  )
}
