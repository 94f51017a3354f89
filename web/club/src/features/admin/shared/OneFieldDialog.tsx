import { useState, type ComponentProps, type ReactNode, type SubmitEvent } from 'react'
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
import { tooLong } from './rules'

interface OneFieldDialogProps {
  title: string
  description?: ReactNode
  /** The field's name, label and hint. */
  name: string
  label: string
  hint?: string
  /** Attributes of the input element, for the browser's validation and autocompletion. */
  input: Omit<ComponentProps<typeof Input>, 'value' | 'onChange' | 'maxLength'>
  /** Maximum length that the server accepts. A longer text can be typed, but it is not sent. */
  max?: number
  initial?: string
  /** Label of the button; while the text is being sent, `submitting` replaces it. */
  submit: string
  submitting: string
  isPending: boolean
  onSubmit: (value: string) => void
  onClose: () => void
}

/** A dialog with one text field. */
export function OneFieldDialog(props: OneFieldDialogProps) {
  const { title, description, name, label, hint, input, max, initial = '' } = props
  const { submit, submitting, isPending, onSubmit, onClose } = props
  const [value, setValue] = useState(initial)
  const [isRefused, setRefused] = useState(false)
  const error = max !== undefined && value.trim().length > max ? tooLong(max) : undefined
  const send = (event: SubmitEvent) => {
    event.preventDefault()
    setRefused(error !== undefined)
    if (error === undefined) onSubmit(value)
  }
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent {...(description === undefined ? { 'aria-describedby': undefined } : {})}>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
          {description === undefined ? null : <DialogDescription>{description}</DialogDescription>}
        </DialogHeader>
        <form onSubmit={send} className="contents">
          <DialogBody>
            <Field name={name} label={label} hint={hint} error={isRefused ? error : undefined}>
              {(control) => (
                <Input
                  {...control}
                  required
                  autoComplete="off"
                  {...input}
                  value={value}
                  onChange={(event) => setValue(event.target.value)}
                />
              )}
            </Field>
          </DialogBody>
          <DialogFooter>
            <Button type="submit" disabled={isPending} aria-busy={isPending}>
              {isPending ? submitting : submit}
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
