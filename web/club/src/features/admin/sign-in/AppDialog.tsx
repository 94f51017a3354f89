import { useQuery } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { Field } from '@/components/form/Field'
import { inFours } from '@/lib/in-fours'
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
import { ListState } from '../shared/ListState'
import { beginApp, useSwitchOn, type NewApp } from './queries/second-step'

interface AppDialogProps {
  onClose: () => void
  /** Called with the recovery codes. */
  onDone: (codes: string[]) => void
}

/** Dialog that adds an authenticator app: shows a QR code, then asks for the first code of the app. */
export function AppDialog({ onClose, onDone }: AppDialogProps) {
  // Each time the dialog opens, the server creates a new QR code.
  const app = useQuery({ queryKey: ['new-app'], queryFn: beginApp, gcTime: 0, staleTime: Infinity, retry: false })
  const [code, setCode] = useState('')
  const switchOn = useSwitchOn()
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (app.data) switchOn.mutate({ factorId: app.data.factorId, code }, { onSuccess: onDone, onError: () => setCode('') })
  }
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Set up the code</DialogTitle>
          <DialogDescription>
            You need an app for codes on your phone: the phone’s own Passwords app, Google Authenticator, or any other.
          </DialogDescription>
        </DialogHeader>
        <form onSubmit={submit} className="contents">
          <DialogBody>
            <ListState query={app} failed="Failed to begin">
              {(made) => <Picture app={made} />}
            </ListState>
            <Field name="first-code" label="Code that the app shows" error={undefined}>
              {(control) => (
                <Input
                  {...control}
                  required
                  inputMode="numeric"
                  autoComplete="one-time-code"
                  value={code}
                  onChange={(event) => setCode(event.target.value)}
                />
              )}
            </Field>
          </DialogBody>
          <DialogFooter>
            <Button type="submit" disabled={!app.data || switchOn.isPending} aria-busy={switchOn.isPending}>
              {switchOn.isPending ? 'Checking...' : 'Switch it on'}
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

function Picture({ app: { picture, secret } }: { app: NewApp }) {
  return (
    <div className="mb-6 grid gap-3">
      <p>Let the app scan this picture.</p>
      {/* The QR code has a white margin, also in dark colours, because cameras need it to find the code. */}
      <img src={picture} alt="The QR code for your app" className="size-52 bg-white p-3" />
      <p>
        No camera? Type this into the app: <code className="font-strong [overflow-wrap:anywhere]">{inFours(secret, ' ')}</code>
      </p>
    </div>
  )
}
