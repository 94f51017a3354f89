import { useState, type SubmitEvent } from 'react'
import { Field } from '@/components/form/Field'
import type { LateForm } from '@/lib/late-link'
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
import { Input } from '@cloch/ui/components/input'
import { NativeSelect } from '@cloch/ui/components/native-select'
import type { Season } from '../seasons/queries/list-seasons'
import { LinkShown } from '../shared/LinkShown'
import { limits, tooLong } from '../shared/rules'
import { lateAddress, lateForms } from './forms'
import { useCreateLateLink } from './queries/late-links'

/** The date (such as "2026-11-03") that is the given number of days from now, in the club's time zone. */
function dayFromNow(days: number): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' })
  return format.format(Date.now() + days * 24 * 3600 * 1000)
}

/** Default number of days for which a link is valid. */
const usualDays = 3

/** Dialog that creates a late link for an entrant, and shows it once. */
export function LateLinkDialog({ season, onClose }: { season: Season; onClose: () => void }) {
  const [form, setForm] = useState<LateForm>('artist')
  const [entrant, setEntrant] = useState('')
  const [isRefused, setRefused] = useState(false)
  const [lastDay, setLastDay] = useState(() => [dayFromNow(usualDays), season.event_on].sort()[0] ?? season.event_on)
  const [today] = useState(() => dayFromNow(0))
  const create = useCreateLateLink()
  const isTooLong = entrant.trim().length > limits.name
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setRefused(isTooLong)
    if (!isTooLong) create.mutate({ award: form, entrant: entrant.trim(), lastDay })
  }
  if (create.data !== undefined) {
    return (
      <LinkShown
        name="late-address"
        label="Late link"
        title={`The late link for ${entrant}`}
        address={lateAddress(form, create.data, window.location.origin)}
        onClose={onClose}
      >
        Send it to the parent, guardian or teacher, and to nobody else. It is shown now and never again. If it is lost, withdraw
        it and make another.
      </LinkShown>
    )
  }
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Make a late link</DialogTitle>
          <DialogDescription>
            Whoever opens the link can send one entry with one form, also while entries are closed. It works once.
          </DialogDescription>
        </DialogHeader>
        <form onSubmit={submit} className="contents">
          <DialogBody>
            <Field name="late-form" label="Form" error={undefined}>
              {(control) => (
                <NativeSelect {...control} value={form} onChange={(event) => setForm(event.target.value as LateForm)}>
                  {Object.entries(lateForms).map(([name, { label }]) => (
                    <option key={name} value={name}>
                      {label}
                    </option>
                  ))}
                </NativeSelect>
              )}
            </Field>
            <Field
              name="late-entrant"
              label="For whom"
              hint="For your list only. The person who opens the link does not see it."
              error={isRefused && isTooLong ? tooLong(limits.name) : undefined}
            >
              {(control) => (
                <Input
                  {...control}
                  required
                  autoComplete="off"
                  value={entrant}
                  onChange={(event) => setEntrant(event.target.value)}
                />
              )}
            </Field>
            <Field
              name="late-last-day"
              label="Works until the end of"
              hint="At the latest the day of the event."
              error={undefined}
            >
              {(control) => (
                <Input
                  {...control}
                  required
                  type="date"
                  min={today}
                  max={season.event_on}
                  value={lastDay}
                  onChange={(event) => setLastDay(event.target.value)}
                />
              )}
            </Field>
          </DialogBody>
          <DialogFooter>
            <Button type="submit" disabled={create.isPending} aria-busy={create.isPending}>
              {create.isPending ? 'Making...' : 'Make Late Link'}
            </Button>
            <Button variant="outline" onClick={onClose}>
              Cancel
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  )
}
