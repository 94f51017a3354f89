import { AlertDialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'

interface ConfirmDialogProps {
  open: boolean
  title: string
  /** Text of the dialog: what the action affects, and its consequence. */
  children: ReactNode
  /** Label of the button that continues. It is a verb. */
  confirm: string
  /** Label of the button that cancels. */
  cancel?: string
  /** Style of the button that continues. `destructive` (red) is for actions that delete something. */
  variant?: 'destructive' | 'default'
  onConfirm: () => void
  onCancel: () => void
}

/** Asks for confirmation before an action that the user could regret. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { open, title, children, confirm, cancel = 'Cancel', variant = 'destructive', onConfirm, onCancel } = props
  return (
    <Radix.Root open={open} onOpenChange={(next) => (next ? undefined : onCancel())}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-50 bg-ink/55 data-[state=open]:animate-appear" />
        <Radix.Content className="fixed inset-x-4 top-1/2 z-50 mx-auto grid max-w-[30rem] -translate-y-1/2 gap-4 rounded border-t-8 border-foreground bg-popover p-6 text-popover-foreground shadow-float">
          <Radix.Title className="text-[1.375rem] leading-tight">{title}</Radix.Title>
          <Radix.Description asChild>
            <div className="[overflow-wrap:anywhere]">{children}</div>
          </Radix.Description>
          <div className="flex flex-wrap gap-3">
            <Radix.Action asChild>
              <Button variant={variant} onClick={onConfirm}>
                {confirm}
              </Button>
            </Radix.Action>
            <Radix.Cancel asChild>
              <Button variant="outline">{cancel}</Button>
            </Radix.Cancel>
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
