import { useState, type SubmitEvent } from 'react'
import { Field } from '@/components/form/Field'
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
import { limits } from '../shared/rules'
import { useInviteAdmin } from './queries/change-admins'

/** Asks for the address of a new administrator. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('')
  const { mutate, isPending } = useInviteAdmin()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    mutate(email.trim(), { onSuccess: onClose })
  }
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Invite Admin</DialogTitle>
          <DialogDescription>
            They receive a link, choose a password of their own, and see everything that you see. The link works for a day.
          </DialogDescription>
        </DialogHeader>
        <form onSubmit={submit} className="contents">
          <DialogBody>
            <Field name="invited-email" label="Email" error={undefined}>
              {(control) => (
                <Input
                  {...control}
                  type="email"
                  required
                  maxLength={limits.email}
                  autoComplete="off"
                  value={email}
                  onChange={(event) => setEmail(event.target.value)}
                />
              )}
            </Field>
          </DialogBody>
          <DialogFooter>
            <Button type="submit" disabled={isPending} aria-busy={isPending}>
              {isPending ? 'Sending...' : 'Send Invitation'}
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
