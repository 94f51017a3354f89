import { Mail } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import type { Award } from '../shared/award'
import { StateMailsDialog } from './StateMailsDialog'
import type { MailedEntry } from './states'

/** Button that opens the mails for an award's entries. */
export function StateMailsButton({ award, entries }: { award: Award; entries: readonly MailedEntry[] }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" variant="outline" onClick={() => setOpen(true)}>
        <Mail aria-hidden />
        Send Mails
      </Button>
      {open ? <StateMailsDialog award={award} entries={entries} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
