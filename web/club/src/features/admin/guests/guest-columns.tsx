import { Mail } from 'lucide-react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { Checkbox } from '@cloch/ui/components/checkbox'
import type { Column } from '../shared/BlockTable'
import { emailLink, phoneLink } from '../shared/contact-links'
import { RowActions } from '../shared/RowActions'
import type { Guest } from './queries/list-guests'
import { canBeMailed } from './rules'
import { statusLabels, statusTones } from './status'

interface GuestColumnsOptions {
  selected: ReadonlySet<string>
  onSelect: (ids: string[], on: boolean) => void
  onMail: (guest: Guest) => void
  onEdit: (guest: Guest) => void
  onDelete: (guest: Guest) => void
}

export function guestColumns({ selected, onSelect, onMail, onEdit, onDelete }: GuestColumnsOptions): Column<Guest>[] {
  return [
    {
      name: 'Select',
      quiet: true,
      share: 0.45,
      cell: ({ id, name }) => (
        <label className="grid size-11 cursor-pointer place-items-center no-print">
          <span className="sr-only">Select {name}</span>
          <Checkbox checked={selected.has(id)} onChange={(event) => onSelect([id], event.target.checked)} />
        </label>
      ),
    },
    {
      name: 'Name',
      share: 1.3,
      lead: true,
      cell: ({ name, organization }) => (
        <>
          {name}
          {organization ? <span className="block font-normal text-muted-foreground">{organization}</span> : null}
        </>
      ),
    },
    {
      share: 1.7,
      name: 'Email, Phone',
      cell: ({ email, phone }) => (
        <>
          <span className="block">{emailLink(email) ?? '-'}</span>
          {phone ? <span className="block">{phoneLink(phone)}</span> : null}
        </>
      ),
    },
    { name: 'Status', share: 0.95, cell: ({ status }) => <Badge tone={statusTones[status]}>{statusLabels[status]}</Badge> },
    { name: 'Notes', share: 1.05, cell: ({ notes }) => notes ?? '-' },
    {
      name: 'Actions',
      share: 1.35,
      corner: true,
      cell: (guest) => (
        <div className="flex gap-1">
          {canBeMailed(guest) ? (
            <Button
              size="icon"
              variant="ghost"
              className="no-print"
              aria-label={`Email ${guest.name}`}
              onClick={() => onMail(guest)}
            >
              <Mail aria-hidden />
            </Button>
          ) : null}
          <RowActions name={guest.name} onEdit={() => onEdit(guest)} onDelete={() => onDelete(guest)} />
        </div>
      ),
    },
  ]
}
