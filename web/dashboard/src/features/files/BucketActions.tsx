import { useState } from 'react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { Confirm } from '@/components/Confirm'
import { path, post, remove } from '@/lib/api'
import { useAction } from '@/lib/use-action'
import { BucketDialog } from './BucketDialog'
import { filesKey, type Bucket } from './contract'
import { LifecycleDialog } from './LifecycleDialog'

/** Actions on a whole bucket. */
export function BucketActions({ bucket, onGone }: { bucket: Bucket; onGone: () => void }) {
  const [asked, setAsked] = useState<'change' | 'rules' | 'empty' | 'remove'>()
  const close = () => setAsked(undefined)
  const empty = useAction(() => post(path`/files/buckets/${bucket.id}/empty`), {
    done: 'The bucket is empty',
    failed: 'The bucket was not emptied',
    refresh: [filesKey],
    onDone: close,
  })
  const drop = useAction(() => remove(path`/files/buckets/${bucket.id}`), {
    done: `The bucket ${bucket.id} is gone`,
    failed: 'The bucket was not removed',
    refresh: [filesKey, ['project']],
    onDone: onGone,
  })
  return (
    <>
      <Button asChild variant="ghost" size="compact">
        <Link to="/policies?schema=storage&find=objects">Policies</Link>
      </Button>
      <Button variant="outline" size="compact" onClick={() => setAsked('change')}>
        Settings
      </Button>
      <Button variant="ghost" size="compact" onClick={() => setAsked('rules')}>
        Lifecycle rules
      </Button>
      <Button variant="ghost" size="compact" className="text-destructive" onClick={() => setAsked('empty')}>
        Empty
      </Button>
      <Button variant="ghost" size="compact" className="text-destructive" onClick={() => setAsked('remove')}>
        Remove
      </Button>
      {asked === 'change' && <BucketDialog bucket={bucket} onClose={close} />}
      {asked === 'rules' && <LifecycleDialog bucket={bucket} onClose={close} />}
      {asked === 'empty' && (
        <Confirm
          title={`Empty ${bucket.id}?`}
          confirm="Remove all files"
          typed={bucket.id}
          isPending={empty.isPending}
          onConfirm={() => empty.mutate()}
          onClose={close}
        >
          All {bucket.objects} files of the bucket are removed. They cannot be brought back.
        </Confirm>
      )}
      {asked === 'remove' && (
        <Confirm
          title={`Remove ${bucket.id}?`}
          confirm="Remove"
          isPending={drop.isPending}
          onConfirm={() => drop.mutate()}
          onClose={close}
        >
          Only an empty bucket can be removed.
        </Confirm>
      )}
    </>
  )
}
