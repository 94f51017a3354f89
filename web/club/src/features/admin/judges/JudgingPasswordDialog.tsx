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
import { useSetJudgingPassword } from './queries/set-judging-password'

/** Sets the one password that all judges share. */
export function JudgingPasswordDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('')
  const { mutate, isPending } = useSetJudgingPassword()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    mutate(password, { onSuccess: onClose })
  }
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Judging password</DialogTitle>
          <DialogDescription>Opens the judging portal. Judges who are inside have to enter the new one.</DialogDescription>
        </DialogHeader>
        <form onSubmit={submit}>
          <DialogBody>
            <Field name="judging-password" label="New password" hint="At least 12 characters" error={undefined}>
              {(control) => (
                <Input
                  {...control}
                  required
                  minLength={12}
                  autoComplete="off"
                  value={password}
                  onChange={(event) => setPassword(event.target.value)}
                />
              )}
            </Field>
          </DialogBody>
          <DialogFooter>
            <Button type="submit" disabled={isPending} aria-busy={isPending}>
              {isPending ? 'Saving...' : 'Set password'}
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
