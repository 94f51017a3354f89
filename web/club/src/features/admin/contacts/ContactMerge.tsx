import { useQuery } from '@tanstack/react-query'
import { MergeDialog, type MergeSpec } from '../shared/MergeDialog'
import { departmentsOf } from './departments-of'
import { contactsQuery } from './queries/list-contacts'
import { mergeContacts } from './queries/merge-contacts'

const spec: MergeSpec = {
  title: 'Merge Contacts',
  consequence: 'The kept contact takes over the departments and interactions of the others, which are deleted.',
  tooFew: 'Please select at least 2 contacts to merge',
  noneKept: 'Please select which contact to keep',
  merge: mergeContacts,
  merged: (others) => `Merged ${others} duplicate contact(s)`,
  failed: 'Failed to merge contacts',
  stale: [['contacts']],
}

export function ContactMerge({ onClose }: { onClose: () => void }) {
  const { data: contacts = [] } = useQuery(contactsQuery)
  const records = contacts.map((contact) => ({
    id: contact.id,
    name: contact.name,
    detail: [
      contact.email,
      ...departmentsOf(contact).map(({ name, schools }) => `${name}, ${schools?.name ?? 'Unknown School'}`),
    ]
      .filter(Boolean)
      .join(' · '),
  }))
  return <MergeDialog spec={spec} records={records} onClose={onClose} />
}
