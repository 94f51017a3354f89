import { Badge } from '@cloch/ui/components/badge'
import { cn } from '@cloch/ui/lib/cn'
import { emailLink, phoneLink } from '../shared/contact-links'
import { RecordRow } from '../shared/RecordRow'
import { departmentsOf } from './departments-of'
import type { Contact } from './queries/list-contacts'
import { statusLabels, statusTones } from './status'

/** Grid columns for the name with the status below it, position and departments, contact data, and notes, if there is room. */
const columns = cn(
  'xl:grid xl:flex-1 xl:grid-cols-[minmax(0,1.3fr)_minmax(0,1.1fr)_minmax(0,1.9fr)_minmax(0,1fr)] xl:gap-x-6',
  'xl:[&>h3]:flex-col xl:[&>h3]:items-start',
)

export function ContactCard({ contact, onEdit }: { contact: Contact; onEdit: () => void }) {
  const departments = departmentsOf(contact)
  return (
    <RecordRow
      name={contact.name}
      badge={<Badge tone={statusTones[contact.status]}>{statusLabels[contact.status]}</Badge>}
      columns={columns}
      onEdit={onEdit}
    >
      <div>
        <p className="text-muted-foreground">{contact.position ?? 'No position specified'}</p>
        {departments.length > 0 ? <p>{departments.map(({ name }) => name).join(', ')}</p> : null}
      </div>
      <p className="flex flex-wrap gap-x-5 xl:grid xl:content-start">
        {emailLink(contact.email)}
        {phoneLink(contact.phone)}
      </p>
      {contact.notes ? <p className="whitespace-pre-line text-muted-foreground">{contact.notes}</p> : null}
    </RecordRow>
  )
}
