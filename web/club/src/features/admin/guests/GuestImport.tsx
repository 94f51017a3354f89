import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import {
  Dialog,
  DialogBody,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@cloch/ui/components/dialog'
import { decodeText } from './csv/decode'
import { parseGuests, type GuestLine } from './csv/parse-guests'
import { GuestPreview } from './GuestPreview'
import { useImportGuests } from './queries/import-guests'
import { guestsQuery } from './queries/list-guests'

/** Imports guests from a spreadsheet. Shows a preview first; nothing is saved until the user confirms it. */
export function GuestImport({ onClose }: { onClose: () => void }) {
  const [lines, setLines] = useState<GuestLine[]>()
  const { data: guests = [] } = useQuery(guestsQuery)
  const { mutate: save, isPending } = useImportGuests()
  const known = new Set(guests.flatMap(({ email }) => (email ? [email.toLowerCase()] : [])))
  const good = lines?.flatMap(({ result }) => ('guest' in result ? [result.guest] : [])) ?? []

  const read = async (file: File | undefined) => {
    if (file) setLines(parseGuests(decodeText(new Uint8Array(await file.arrayBuffer()))))
  }

  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Import CSV</DialogTitle>
          <DialogDescription>
            Columns in this order: name, email, phone, organization, status, notes. The first line is a header.
          </DialogDescription>
        </DialogHeader>
        <DialogBody className="flex-1">
          <label className="grid gap-1.5 font-strong">
            File
            <input
              type="file"
              accept=".csv,.txt,.tsv,text/csv,text/plain"
              className="min-h-12 w-full font-normal file:mr-4 file:min-h-11 file:rounded file:border-2 file:border-foreground file:bg-transparent file:px-4 file:font-strong"
              onChange={(event) => void read(event.target.files?.[0])}
            />
          </label>
          {lines ? <GuestPreview lines={lines} isKnown={(email) => known.has(email.toLowerCase())} /> : null}
        </DialogBody>
        <DialogFooter>
          <Button
            disabled={good.length === 0 || isPending}
            aria-busy={isPending}
            onClick={() => save(good, { onSuccess: onClose })}
          >
            {isPending ? 'Importing...' : `Import ${good.length} guests`}
          </Button>
          <Button variant="outline" onClick={onClose}>
            Cancel
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
