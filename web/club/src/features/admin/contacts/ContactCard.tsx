import { Badge } from '@cloch/ui/components/badge'
import { emailLink, phoneLink } from '../shared/contact-links'
import { RecordRow } from '../shared/RecordRow'
import { departmentsOf } from './departments-of'
import type { Contact } from './queries/list-contacts'
import { statusLabels, statusTones } from './status'

export function ContactCard({ contact, onEdit }: { contact: Contact; onEdit: () => void }) {
  const departments = departmentsOf(contact)
  return (
    <RecordRow
      name={contact.name}
      badge={<Badge tone={statusTones[contact.status]}>{statusLabels[contact.status]}</Badge>}
      onEdit={onEdit}
    >
      <p className="text-muted-foreground">{contact.position ?? 'No position specified'}</p>
      {departments.length > 0 ? <p>{departments.map(({ name }) => name).join(', ')}</p> : null}
      <p className="flex flex-wrap gap-x-5">
        {emailLink(contact.email)}
        {phoneLink(contact.phone)}
      </p>
      {contact.notes ? <p className="whitespace-pre-line text-muted-foreground">{contact.notes}</p> : null}
    </RecordRow>
  )
}
