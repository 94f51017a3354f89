import { useState, type ReactNode } from 'react'
import { FormProvider, type FieldValues } from 'react-hook-form'
import { ConfirmDialog } from '@/components/ConfirmDialog'
import { Button } from '@cloch/ui/components/button'
import { Dialog, DialogBody, DialogContent, DialogFooter, DialogHeader, DialogTitle } from '@cloch/ui/components/dialog'
import { ConflictNotice } from './ConflictNotice'
import type { Stamped } from './stale'
import { useLeaveGuard } from './use-leave-guard'
import type { RecordForm } from './use-record-form'

interface RecordDialogProps<Row extends Stamped, Values extends FieldValues, Input> {
  title: string
  record: RecordForm<Row, Values, Input>
  /** Labels of the fields, for the list of changes by another admin. */
  labels: Partial<Record<keyof Row & string, string>>
  submit: string
  onClose: () => void
  children: ReactNode
}

/** The dialog with the form of a record. Before unsaved input is discarded, it asks for confirmation. */
export function RecordDialog<Row extends Stamped, Values extends FieldValues, Input>({
  title,
  record,
  labels,
  submit,
  onClose,
  children,
}: RecordDialogProps<Row, Values, Input>) {
  const [asking, setAsking] = useState(false)
  const { isDirty } = record.form.formState
  useLeaveGuard(isDirty)
  const close = () => (isDirty ? setAsking(true) : onClose())

  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : close())}>
      <DialogContent aria-describedby={undefined}>
        <DialogHeader>
          <DialogTitle>{title}</DialogTitle>
        </DialogHeader>
        <FormProvider {...record.form}>
          <form
            noValidate
            className="flex min-h-0 flex-1 flex-col"
            onSubmit={(event) => {
              event.preventDefault()
              record.submit()
            }}
          >
            <DialogBody className="flex-1">
              {record.isRestored ? (
                <p
                  role="status"
                  className="flex flex-wrap items-center justify-between gap-x-4 rounded bg-secondary px-4 py-1.5"
                >
                  What you typed before is still here.
                  <button type="button" className="min-h-11 underline underline-offset-4" onClick={record.discard}>
                    Discard it
                  </button>
                </p>
              ) : null}
              {record.conflict === undefined ? null : <ConflictNotice record={record} labels={labels} />}
              {children}
            </DialogBody>
            <DialogFooter>
              <Button type="submit" disabled={record.saving} aria-busy={record.saving}>
                {record.saving ? 'Saving...' : submit}
              </Button>
              <Button variant="outline" onClick={close}>
                Cancel
              </Button>
            </DialogFooter>
          </form>
        </FormProvider>
        <ConfirmDialog
          open={asking}
          title="Leave without saving?"
          confirm="Leave"
          cancel="Go on editing"
          onConfirm={() => {
            record.discard()
            onClose()
          }}
          onCancel={() => setAsking(false)}
        >
          What you have changed here is not saved.
        </ConfirmDialog>
      </DialogContent>
    </Dialog>
  )
}
