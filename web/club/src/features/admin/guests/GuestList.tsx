import { useQuery } from '@tanstack/react-query'
import { Plus, Upload } from 'lucide-react'
import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { notifyError, notifyWarning } from '@cloch/ui/lib/notify'
import { BlockTable } from '../shared/BlockTable'
import type { Sheet } from '../shared/csv'
import { Empty } from '../shared/Empty'
import { ExportButton } from '../shared/ExportButton'
import { ListState } from '../shared/ListState'
import { PanelHeading } from '../shared/PanelHeading'
import { useAddressText } from '../shared/use-address-text'
import { useDashboardAddress } from '../shared/use-dashboard-address'
import { filterGuests } from './filter'
import { guestColumns } from './guest-columns'
import { GuestDialogs, type GuestDialogState } from './GuestDialogs'
import { GuestGroups } from './GuestGroups'
import { GuestTools } from './GuestTools'
import { MailingNotice } from './mailing/MailingNotice'
import { useMailing } from './mailing/use-mailing'
import { guestsQuery, type Guest } from './queries/list-guests'
import { canBeMailed } from './rules'
import { isGuestStatus } from './status'

const none: Guest[] = []

/** The list of invited guests, with the actions that send letters to them. */
export function GuestList() {
  const query = useQuery(guestsQuery)
  const guests = query.data ?? none
  const { value, setValues } = useDashboardAddress()
  const [text, setText] = useAddressText('q')
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<GuestDialogState>()
  const mailing = useMailing(guests)
  const status = isGuestStatus(value('status')) ? value('status') : ''
  const wanted = useDeferredValue(text)
  const shown = useMemo(() => filterGuests(guests, wanted, status), [guests, wanted, status])
  const chosen = guests.filter(({ id }) => selected.has(id))

  const select = useCallback(
    (ids: string[], on: boolean) =>
      setSelected((before) => {
        const next = new Set(before)
        for (const id of ids) {
          if (on) next.add(id)
          else next.delete(id)
        }
        return next
      }),
    [],
  )

  const mailSelected = () => {
    const recipients = chosen.filter(canBeMailed)
    const skipped = chosen.length - recipients.length
    if (recipients.length === 0) {
      notifyError({ title: 'Error', description: 'Please select guests with valid email addresses' })
      return
    }
    if (skipped > 0) {
      notifyWarning({ title: 'Warning', description: `${skipped} guest(s) skipped due to missing or invalid email addresses` })
    }
    setDialog({ kind: 'mail-many', guests: recipients })
  }

  const columns = useMemo(
    () =>
      guestColumns({
        selected,
        onSelect: select,
        onMail: (guest) => (canBeMailed(guest) ? setDialog({ kind: 'mail-one', guest }) : undefined),
        onEdit: (guest) => setDialog({ kind: 'edit', guest }),
        onDelete: (guest) => setDialog({ kind: 'delete', guest }),
      }),
    [selected, select],
  )

  return (
    <>
      <PanelHeading title="Invited Guests">
        <Button size="sm" onClick={() => setDialog({ kind: 'edit', guest: undefined })}>
          <Plus aria-hidden />
          Add Guest
        </Button>
        <Button size="sm" variant="outline" onClick={() => setDialog({ kind: 'import' })}>
          <Upload aria-hidden />
          Import CSV
        </Button>
        <ExportButton name="guests" sheet={() => guestSheet(guests)} />
      </PanelHeading>
      <MailingNotice {...mailing} />
      <GuestTools
        query={text}
        onQuery={setText}
        status={status}
        onStatus={(next) => setValues({ status: next })}
        selected={chosen.length}
        mailing={mailing.running}
        onMail={mailSelected}
      />
      <ListState query={query} failed="Failed to load guests">
        {() => (
          <>
            {shown.length === 0 ? <Empty>No guests found</Empty> : null}
            {status === '' ? (
              <GuestGroups guests={shown} columns={columns} selected={selected} onSelect={select} />
            ) : shown.length > 0 ? (
              <BlockTable label="Guests" columns={columns} rows={shown} />
            ) : null}
            <p className="mt-4 text-muted-foreground">
              Total: {shown.length} guests{status === '' ? '' : ` (filtered by ${status})`}
            </p>
          </>
        )}
      </ListState>
      <GuestDialogs
        state={dialog}
        onClose={() => setDialog(undefined)}
        onStartMailing={async (message, recipients) => {
          // The guest list may have changed while the user wrote the letter, so the recipients are checked again.
          const still = guests.filter((guest) => recipients.some(({ id }) => id === guest.id) && canBeMailed(guest))
          if (still.length === 0) {
            notifyError({ title: 'Error', description: 'No guests with valid email addresses selected' })
            return false
          }
          const begun = await mailing.start(message, still)
          if (begun) setSelected(new Set())
          return begun
        }}
      />
    </>
  )
}

/** The columns have the order that the import expects. */
function guestSheet(guests: readonly Guest[]): Sheet {
  return guests.map(({ name, email, phone, organization, status, notes }) => ({
    name,
    email,
    phone,
    organization,
    status,
    notes,
  }))
}
