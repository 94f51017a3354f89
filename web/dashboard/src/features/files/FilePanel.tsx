import { Download, History, Link2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Copyable } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { Facts } from '@/components/Facts'
import { SelectField, TextField } from '@/components/fields'
import { path, post } from '@/lib/api'
import { formatBytes, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { filesKey, isPicture, objectUrl, type Bucket, type Entry } from './contract'
import { Versions } from './Versions'

interface FilePanelProps {
  bucket: Bucket
  /** Full path in the bucket. */
  name: string
  entry: Entry
  /** Opens the restore of the file from a backup. Undefined if the operator may not restore. */
  onRestore: (() => void) | undefined
  onClose: () => void
}

const lifetimes = { '3600': 'an hour', '86400': 'a day', '604800': 'a week' }

/** Side panel for one file: preview, link, rename. */
export function FilePanel({ bucket, name, entry, onRestore, onClose }: FilePanelProps) {
  const type = entry.metadata?.mimetype
  const mayChange = useMay('developer')
  return (
    <Dialog title={entry.name} place="side" onClose={onClose}>
      {isPicture(type) && (
        <div className="grid place-items-center rounded bg-muted p-3">
          <img src={objectUrl(bucket.id, name)} alt={`Preview of ${entry.name}`} className="max-h-72 max-w-full" />
        </div>
      )}
      {type?.startsWith('video/') && <video controls src={objectUrl(bucket.id, name)} className="w-full" />}
      {type?.startsWith('audio/') && <audio controls src={objectUrl(bucket.id, name)} className="w-full" />}
      <Facts
        facts={[
          ['Path', <code key="path">{name}</code>],
          ['Size', formatBytes(entry.metadata?.size ?? 0)],
          ['Type', type ?? '–'],
          ['Changed', formatTime(entry.updated_at)],
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <Button asChild variant="outline" size="compact">
          <a href={objectUrl(bucket.id, name, entry.name)} download={entry.name}>
            <Download aria-hidden />
            Download
          </a>
        </Button>
        {onRestore && (
          <Button variant="outline" size="compact" onClick={onRestore}>
            <History aria-hidden />
            Restore from a backup
          </Button>
        )}
      </div>
      {bucket.has_versions && <Versions bucket={bucket} name={name} onDone={onClose} />}
      {mayChange && (
        <>
          <SignedLink bucket={bucket.id} name={name} />
          <Move bucket={bucket.id} name={name} onDone={onClose} />
        </>
      )}
    </Dialog>
  )
}

function SignedLink({ bucket, name }: { bucket: string; name: string }) {
  const [seconds, setSeconds] = useState('3600')
  const sign = useAction(
    () => post<{ url: string }>(path`/files/buckets/${bucket}/sign`, { path: name, expires_in: Number(seconds) }),
    { failed: 'No link was made' },
  )
  return (
    <section className="grid gap-2 border-t-3 border-foreground pt-2">
      <h3>A link for somebody</h3>
      <div className="flex items-end gap-3">
        <SelectField label="Works for" value={seconds} onChange={setSeconds} className="w-36">
          {Object.entries(lifetimes).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
        <Button variant="outline" size="compact" disabled={sign.isPending} onClick={() => sign.mutate()}>
          <Link2 aria-hidden />
          Make a link
        </Button>
      </div>
      {sign.data && <Copyable name="Link" value={sign.data.url} />}
    </section>
  )
}

function Move({ bucket, name, onDone }: { bucket: string; name: string; onDone: () => void }) {
  const [to, setTo] = useState(name)
  const move = useAction((kind: 'move' | 'copy') => post(path`/files/buckets/${bucket}/${kind}`, { from: name, to }), {
    done: (_, kind) => (kind === 'move' ? 'Moved' : 'Copied'),
    failed: 'Nothing was moved',
    refresh: [filesKey],
    onDone,
  })
  const isSame = to.trim() === '' || to === name
  return (
    <section className="grid gap-2 border-t-3 border-foreground pt-2">
      <h3>Move or copy</h3>
      <TextField label="New path" value={to} onChange={setTo} controlClassName="font-mono" />
      <div className="flex gap-2">
        <Button variant="outline" size="compact" disabled={isSame || move.isPending} onClick={() => move.mutate('move')}>
          Move
        </Button>
        <Button variant="outline" size="compact" disabled={isSame || move.isPending} onClick={() => move.mutate('copy')}>
          Copy
        </Button>
      </div>
    </section>
  )
}
