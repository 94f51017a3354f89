import { useState, type SyntheticEvent } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { CheckField, SelectField, TextField } from '@/components/fields'
import { Refused } from '@/components/states'
import { path, post, put } from '@/lib/api'
import { useAction } from '@/lib/use-action'
import { filesKey, type Bucket, type VersioningStatus } from './contract'

const megabyte = 1_000_000

const versioningWords: Record<VersioningStatus, string> = {
  DISABLED: 'not kept',
  ENABLED: 'kept',
  SUSPENDED: 'suspended: the present ones are kept, no new ones',
}

/** The statuses that a bucket can have. A bucket that has had versions cannot return to `DISABLED`. */
const versioningChoices = (bucket?: Bucket): VersioningStatus[] =>
  bucket?.has_versions ? ['ENABLED', 'SUSPENDED'] : ['DISABLED', 'ENABLED']

interface BucketDialogProps {
  bucket?: Bucket
  onClose: () => void
  /** Called after a new bucket has been created. */
  onMade?: (id: string) => void
}

/** Dialog that creates or changes a bucket. */
export function BucketDialog({ bucket, onClose, onMade }: BucketDialogProps) {
  const [id, setId] = useState(bucket?.id ?? '')
  const [isPublic, setPublic] = useState(bucket?.public ?? false)
  const [limit, setLimit] = useState(bucket?.file_size_limit ? String(bucket.file_size_limit / megabyte) : '')
  const [types, setTypes] = useState(bucket?.allowed_mime_types?.join(', ') ?? '')
  const current = bucket?.versioning_status ?? 'DISABLED'
  const [versioning, setVersioning] = useState(current)
  const settings = {
    public: isPublic,
    file_size_limit: limit.trim() === '' ? null : Math.round(Number(limit) * megabyte),
    allowed_mime_types: types.trim() === '' ? null : types.split(',').map((type) => type.trim()),
    // An unchanged status is not sent: a database that Supabase made has no column for it.
    ...(versioning !== current && { versioning_status: versioning }),
  }
  const save = useAction<unknown>(
    () => (bucket ? put(path`/files/buckets/${bucket.id}`, settings) : post('/files/buckets', { id, ...settings })),
    {
      done: bucket ? 'Saved' : `The bucket ${id} is there`,
      refresh: [filesKey, ['project']],
      onDone: () => {
        onClose()
        if (!bucket) onMade?.(id)
      },
    },
  )
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <Dialog
      title={bucket ? `Bucket ${bucket.id}` : 'New bucket'}
      onClose={onClose}
      className="sm:w-[min(32rem,calc(100vw-2rem))]"
      footer={
        <>
          <Button type="submit" form="bucket" size="compact" disabled={save.isPending} aria-busy={save.isPending}>
            {bucket ? 'Save' : 'Make it'}
          </Button>
          <Button variant="outline" size="compact" onClick={onClose}>
            Cancel
          </Button>
        </>
      }
    >
      <form id="bucket" className="grid gap-4" onSubmit={submit}>
        {!bucket && <TextField label="Name" required maxLength={100} value={id} onChange={setId} />}
        <CheckField
          label="Everybody may read"
          hint="Each file has an address that needs no key. Listing and writing still go by policies."
          checked={isPublic}
          onChange={setPublic}
        />
        <TextField
          label="Largest file in MB (optional)"
          inputMode="decimal"
          pattern="[0-9]+([.][0-9]+)?"
          value={limit}
          onChange={setLimit}
        />
        <TextField
          label="Types of files (optional)"
          hint="For instance image/*, application/pdf"
          value={types}
          onChange={setTypes}
        />
        <SelectField
          label="Versions of replaced and deleted files"
          hint={
            bucket?.has_versions
              ? 'Versions count for the storage quota. Lifecycle rules limit how long they stay.'
              : 'Versions count for the storage quota. Once they are kept, they can be suspended, but not switched off again.'
          }
          value={versioning}
          onChange={(status) => setVersioning(status as VersioningStatus)}
        >
          {versioningChoices(bucket).map((status) => (
            <option key={status} value={status}>
              {versioningWords[status]}
            </option>
          ))}
        </SelectField>
        {save.isError && <Refused error={save.error} />}
      </form>
    </Dialog>
  )
}
