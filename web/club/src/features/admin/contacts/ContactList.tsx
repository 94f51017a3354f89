import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Empty } from '../shared/Empty'
import { ListState, type PartProps } from '../shared/ListState'
import { useDashboardAddress } from '../shared/use-dashboard-address'
import { VirtualList } from '../shared/VirtualList'
import { ContactCard } from './ContactCard'
import { ContactFilters } from './ContactFilters'
import { ContactForm } from './ContactForm'
import { filterContacts, type ContactFilter } from './filter'
import { groupContacts } from './group-contacts'
import { contactsQuery, type Contact } from './queries/list-contacts'

/** The contacts, grouped by school and filtered. */
export function ContactList({ onAdd, others }: PartProps) {
  const contacts = useQuery(contactsQuery)
  const { value, setValues } = useDashboardAddress()
  const [editing, setEditing] = useState<Contact>()
  const filter: ContactFilter = { school: value('school'), department: value('department'), status: value('status') }
  const shown = filterContacts(contacts.data ?? [], filter)
  const rows = useMemo(() => groupContacts(shown), [shown])

  const change = (name: keyof ContactFilter, text: string) =>
    // A department belongs to one school, so the choice of another school resets the department.
    setValues(name === 'school' ? { school: text, department: undefined } : { [name]: text })

  return (
    <ListState query={contacts} others={others} failed="Failed to load contact data">
      {(all) =>
        all.length === 0 ? (
          <Empty action={<Button onClick={onAdd}>Add Contact</Button>}>
            No contacts yet. Add your first contact to start tracking.
          </Empty>
        ) : (
          <>
            <ContactFilters
              filter={filter}
              onFilter={change}
              onClear={() => setValues({ school: undefined, department: undefined, status: undefined })}
            />
            <p role="status" className="mt-4 text-muted-foreground">
              Showing {shown.length} of {all.length} contacts
            </p>
            {shown.length === 0 ? <Empty>No contacts match the selected filters.</Empty> : null}
            <VirtualList
              items={rows}
              keyOf={(row) => row.key}
              estimate={130}
              render={(row) =>
                row.kind === 'heading' ? (
                  <h2 className="border-b-3 border-foreground pt-7 pb-2 text-[1.25rem] leading-tight">{row.name}</h2>
                ) : (
                  <ContactCard contact={row.contact} onEdit={() => setEditing(row.contact)} />
                )
              }
            />
            {editing ? <ContactForm contact={editing} onClose={() => setEditing(undefined)} /> : null}
          </>
        )
      }
    </ListState>
  )
}
