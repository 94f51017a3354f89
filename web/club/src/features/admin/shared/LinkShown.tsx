import { Check, Copy } from 'lucide-react'
import { useState, type ReactNode } from 'react'
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

interface LinkShownProps {
  /** Name and label of the field with the link. */
  name: string
  label: string
  title: string
  address: string
  /** Describes to whom the link must be sent. */
  children: ReactNode
  onClose: () => void
}

/** Dialog that shows a new link. The server does not store the link, so it cannot be shown again. */
export function LinkShown({ name, label, title, address, children, onClose }: LinkShownProps) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = () =>
    void navigator.clipboard.writeText(address).then(
      () => setIsCopied(true),
      // If the clipboard is not available, the user can select and copy the link.
      () => undefined,
    )
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      {/* A click outside does not close the dialog, because the link would be lost. */}
      <DialogContent onInteractOutside={(event) => event.preventDefault()}>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          <DialogDescription>{children}</DialogDescription>
        </DialogHeader>
        <DialogBody>
          <Field name={name} label={label} error={undefined}>
            {(control) => <Input {...control} readOnly value={address} onFocus={(event) => event.target.select()} />}
          </Field>
        </DialogBody>
        <DialogFooter>
          <Button onClick={copy}>
            {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
            {isCopied ? 'Copied' : 'Copy link'}
          </Button>
          <Button variant="outline" onClick={onClose}>
            Done
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
