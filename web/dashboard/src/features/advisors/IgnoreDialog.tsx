import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { AreaField } from '@/components/fields'
import { post } from '@/lib/api'
import { useAction } from '@/lib/use-action'

interface IgnoreDialogProps {
  lint: string
  /** The object that breaks the rule, as `schema.name`. */
  on: string
  detail: string
  onClose: () => void
}

/**
 * Dialog that makes the server ignore a finding, for a reason that the user types. The entry is written to cloch.toml, which is in git together with
 * the migrations.
 */
export function IgnoreDialog({ lint, on, detail, onClose }: IgnoreDialogProps) {
  const [reason, setReason] = useState('')
  const ignore = useAction(() => post('/advisors/ignore', { lint, on, reason }), {
    done: 'It is ignored from now on',
    failed: 'It is not ignored',
    refresh: [['advisors'], ['settings', 'editable']],
    onDone: onClose,
  })
  return (
    <Dialog
      title="Ignore this finding"
      description={detail}
      onClose={onClose}
      isDirty={reason !== ''}
      className="sm:w-[min(36rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button
            size="compact"
            disabled={reason.trim() === '' || ignore.isPending}
            aria-busy={ignore.isPending}
            onClick={() => ignore.mutate()}
          >
            Ignore it
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <AreaField
        label="Reason"
        hint="For whoever asks in a year. It is kept in the project’s cloch.toml. “Stop ignoring” shows the finding again."
        value={reason}
        onChange={setReason}
        rows={3}
        maxLength={1000}
      />
    </Dialog>
  )
}
