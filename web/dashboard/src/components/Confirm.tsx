import { useState, type ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from './Dialog'
import { TextField } from './fields'

interface ConfirmProps {
  title: string
  /** Text of the dialog: what the action affects, and its consequence. */
  children: ReactNode
  /** Label of the button that continues. It is a verb. */
  confirm: string
  isPending?: boolean
  /** If set, the user must type this word before the button is enabled. Used if much would be lost. */
  typed?: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm({ title, children, confirm, isPending = false, typed, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState('')
  const footer = (
    <>
      <Button
        variant="destructive"
        size="compact"
        disabled={isPending || (typed !== undefined && text !== typed)}
        aria-busy={isPending}
        onClick={onConfirm}
      >
        {confirm}
      </Button>
      <Button variant="outline" size="compact" onClick={onClose}>
        Cancel
      </Button>
    </>
  )
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={footer}
      className="sm:w-[min(30rem,calc(100vw-2rem))] max-sm:m-auto max-sm:h-fit"
    >
      <div>{children}</div>
      {typed !== undefined && <TextField label={`Type ${typed} to go on`} value={text} onChange={setText} autoComplete="off" />}
    </Dialog>
  )
}
