import { useState, type SyntheticEvent } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { Dialog } from '@/components/Dialog'
import { CheckField, TextField } from '@/components/fields'
import { Empty, Refused } from '@/components/states'
import { path, post, remove } from '@/lib/api'
import { useAction } from '@/lib/use-action'
import { filesKey, type Bucket } from './contract'
import { actionsOf, emptyDraft, ruleOf, type Draft, type Rule } from './lifecycle'

const wholeNumber = { inputMode: 'numeric', pattern: '[1-9][0-9]*', className: 'w-full' } as const

/** Dialog with the lifecycle rules of a bucket: what the server deletes after a number of days. */
export function LifecycleDialog({ bucket, onClose }: { bucket: Bucket; onClose: () => void }) {
  return (
    <Dialog
      title={`Lifecycle rules of ${bucket.id}`}
      description="The server deletes by these rules about once an hour. What it deletes for good cannot be brought back."
      onClose={onClose}
    >
      {bucket.rules.length === 0 ? (
        <Empty title="There are no rules: files stay until somebody removes them." />
      ) : (
        <Rules bucket={bucket} />
      )}
      <NewRule bucket={bucket} />
    </Dialog>
  )
}

function Rules({ bucket }: { bucket: Bucket }) {
  const drop = useAction(({ id }: Rule) => remove(path`/files/buckets/${bucket.id}/rules/${id}`), {
    done: 'The rule is removed',
    failed: 'The rule was not removed',
    refresh: [filesKey],
  })
  return (
    <DataTable
      label={`Rules of ${bucket.id}`}
      rows={bucket.rules}
      rowKey={({ id }) => id}
      columns={[
        { name: 'Deletes', cell: (rule) => actionsOf(rule).join('; ') },
        { name: 'Names', cell: ({ filter }) => (filter.prefix ? <code>{filter.prefix}…</code> : 'all') },
        {
          name: 'State',
          cell: ({ status }) => (status === 'Enabled' ? <Badge tone="success">on</Badge> : <Badge>off</Badge>),
        },
        {
          name: 'Remove',
          isHeadHidden: true,
          hasButtons: true,
          cell: (rule) => (
            <Button
              variant="outline"
              size="compact"
              aria-label={`Remove the rule for ${actionsOf(rule).join('; ')}`}
              disabled={drop.isPending}
              onClick={() => drop.mutate(rule)}
            >
              Remove
            </Button>
          ),
        },
      ]}
    />
  )
}

function NewRule({ bucket }: { bucket: Bucket }) {
  const [draft, setDraft] = useState(emptyDraft)
  const rule = ruleOf(draft)
  const add = useAction(() => post(path`/files/buckets/${bucket.id}/rules`, rule), {
    done: 'The rule is added',
    refresh: [filesKey],
    onDone: () => setDraft(emptyDraft),
  })
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    add.mutate()
  }
  const set = (field: keyof Draft) => (value: string | boolean) => setDraft((before) => ({ ...before, [field]: value }))
  return (
    <form className="grid gap-4 border-t-3 border-foreground pt-2" onSubmit={submit}>
      <h3>New rule</h3>
      <TextField
        label="Only names that begin with (optional)"
        controlClassName="font-mono"
        value={draft.prefix}
        onChange={set('prefix')}
      />
      <div className="grid items-end gap-4 sm:grid-cols-2">
        <TextField
          label="Files: delete after days"
          hint="Counted from the last change of a file."
          {...wholeNumber}
          value={draft.days}
          onChange={set('days')}
        />
        <TextField
          label="Unfinished uploads: delete after days"
          hint="Multipart uploads of S3 tools."
          {...wholeNumber}
          value={draft.uploadDays}
          onChange={set('uploadDays')}
        />
        <TextField
          label="Former versions: delete after days"
          hint="Counted from the replacement or deletion."
          {...wholeNumber}
          value={draft.formerDays}
          onChange={set('formerDays')}
        />
        <TextField
          label="Former versions of a file to keep (optional)"
          hint="The newest ones stay, however old they are."
          {...wholeNumber}
          disabled={draft.formerDays.trim() === ''}
          value={draft.formerKept}
          onChange={set('formerKept')}
        />
      </div>
      <CheckField
        label="Delete markers without a version"
        hint="The marker of a deleted file whose versions are gone. Not together with days for files."
        checked={draft.isMarkerDeleted}
        disabled={draft.days.trim() !== ''}
        onChange={set('isMarkerDeleted')}
      />
      {add.isError && <Refused error={add.error} />}
      <Button
        type="submit"
        size="compact"
        className="justify-self-start"
        disabled={!rule || add.isPending}
        aria-busy={add.isPending}
      >
        Add the rule
      </Button>
    </form>
  )
}
