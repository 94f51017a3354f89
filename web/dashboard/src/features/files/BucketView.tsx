import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { File, Folder } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { Confirm } from '@/components/Confirm'
import { DataTable } from '@/components/DataTable'
import { TextField } from '@/components/fields'
import { ButtonRow, Page } from '@/components/Page'
import { RowButton } from '@/components/RowButton'
import { Empty, Result } from '@/components/states'
import { path, post } from '@/lib/api'
import { formatBytes, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { BucketActions } from './BucketActions'
import { filesKey, type Bucket, type Entry } from './contract'
import { Deleted } from './Deleted'
import { FilePanel } from './FilePanel'
import { actionsOf } from './lifecycle'
import { RestoreFiles } from './RestoreFiles'
import { Uploads } from './Uploads'

/** Number of entries on one page of a folder. */
const pageSize = 100

interface BucketViewProps {
  bucket: Bucket
  /** Path of the folder with a slash at its end. Empty for the root of the bucket. */
  prefix: string
  onGo: (bucket?: string, prefix?: string) => void
}

/** The files of one folder in a bucket. */
export function BucketView({ bucket, prefix, onGo }: BucketViewProps) {
  const [text, setText] = useState('')
  const [limit, setLimit] = useState(pageSize)
  const [open, setOpen] = useState<Entry>()
  const [isDeletedShown, setDeletedShown] = useState(false)
  /** Folder or file whose restore dialog is open. */
  const [restored, setRestored] = useState<string>()
  const mayChange = useMay('developer')
  const mayRestore = useMay('owner')
  const list = useQuery({
    queryKey: [...filesKey, 'list', bucket.id, prefix, text, limit],
    queryFn: ({ signal }) =>
      post<Entry[]>(
        path`/files/buckets/${bucket.id}/list`,
        { prefix, limit, offset: 0, search: text, sort_by: { column: 'name', order: 'asc' } },
        signal,
      ),
    placeholderData: keepPreviousData,
  })
  const entries = (
    <Result query={list} what="the folder">
      {(data) => (
        <>
          {data.length === 0 ? (
            <Empty title={text === '' ? 'This folder is empty.' : 'No files match.'} />
          ) : (
            <Entries
              key={prefix}
              bucket={bucket}
              prefix={prefix}
              entries={data}
              mayChange={mayChange}
              onFolder={(name) => onGo(bucket.id, `${prefix}${name}/`)}
              onFile={setOpen}
            />
          )}
          {data.length >= limit && (
            <Button variant="outline" size="compact" className="justify-self-start" onClick={() => setLimit(limit + pageSize)}>
              Show more
            </Button>
          )}
        </>
      )}
    </Result>
  )
  const find = (
    <TextField label="Find in this folder" type="search" className="flex-1 sm:max-w-72" value={text} onChange={setText} />
  )
  return (
    <Page
      title={bucket.id}
      lede={<State bucket={bucket} />}
      actions={
        <ButtonRow className="max-sm:max-w-screen">
          {bucket.has_versions && (
            <Button variant="ghost" size="compact" onClick={() => setDeletedShown(true)}>
              Deleted files
            </Button>
          )}
          {mayRestore && (
            <Button variant="ghost" size="compact" onClick={() => setRestored(prefix)}>
              Restore from a backup
            </Button>
          )}
          {mayChange && <BucketActions bucket={bucket} onGone={() => onGo()} />}
        </ButtonRow>
      }
    >
      <Crumbs bucket={bucket.id} prefix={prefix} />
      {mayChange ? (
        <Uploads bucket={bucket.id} prefix={prefix} beside={find}>
          {entries}
        </Uploads>
      ) : (
        <>
          {find}
          {entries}
        </>
      )}
      {isDeletedShown && <Deleted bucket={bucket} prefix={prefix} onClose={() => setDeletedShown(false)} />}
      {open && (
        <FilePanel
          bucket={bucket}
          name={prefix + open.name}
          entry={open}
          onRestore={
            mayRestore
              ? () => {
                  setOpen(undefined)
                  setRestored(prefix + open.name)
                }
              : undefined
          }
          onClose={() => setOpen(undefined)}
        />
      )}
      {restored !== undefined && <RestoreFiles bucket={bucket} prefix={restored} onClose={() => setRestored(undefined)} />}
    </Page>
  )
}

/** Who may read the bucket, whether it keeps versions, and its lifecycle rules. */
function State({ bucket }: { bucket: Bucket }) {
  const on = bucket.rules.filter(({ status }) => status === 'Enabled')
  return (
    <span className="flex flex-wrap gap-1.5">
      {bucket.public ? <Badge tone="heather">public</Badge> : <Badge>by policy</Badge>}
      {bucket.versioning_status === 'ENABLED' && <Badge tone="success">keeps versions</Badge>}
      {bucket.versioning_status === 'SUSPENDED' && <Badge>versions suspended</Badge>}
      {on.length > 0 && (
        <Badge tone="award" title={on.map((rule) => `deletes ${actionsOf(rule).join('; ')}`).join('\n')}>
          {on.length === 1 ? '1 lifecycle rule' : `${on.length} lifecycle rules`}
        </Badge>
      )}
    </span>
  )
}

function Crumbs({ bucket, prefix }: { bucket: string; prefix: string }) {
  const folders = prefix.split('/').slice(0, -1)
  const to = (count: number) =>
    `/files?${new URLSearchParams({ bucket, ...(count > 0 ? { prefix: `${folders.slice(0, count).join('/')}/` } : {}) }).toString()}`
  return (
    <nav aria-label="Folder">
      <ol className="flex flex-wrap gap-x-1.5">
        <li>
          <Link to="/files">Files</Link> /
        </li>
        {[bucket, ...folders].map((folder, index) => (
          <li key={index}>
            {index === folders.length ? (
              <span aria-current="page">{folder}</span>
            ) : (
              <>
                <Link to={to(index)}>{folder}</Link> /
              </>
            )}
          </li>
        ))}
      </ol>
    </nav>
  )
}

interface EntriesProps {
  bucket: Bucket
  prefix: string
  entries: Entry[]
  mayChange: boolean
  onFolder: (name: string) => void
  onFile: (entry: Entry) => void
}

function Entries({ bucket, prefix, entries, mayChange, onFolder, onFile }: EntriesProps) {
  const [chosen, setChosen] = useState<readonly string[]>([])
  const [isAsked, setAsked] = useState(false)
  const drop = useAction(() => post(path`/files/buckets/${bucket.id}/remove`, { paths: chosen.map((name) => prefix + name) }), {
    done: chosen.length === 1 ? 'The file is removed' : `${chosen.length} files are removed`,
    failed: 'Nothing was removed',
    refresh: [filesKey],
    onDone: () => {
      setAsked(false)
      setChosen([])
    },
  })
  const toggle = (name: string) =>
    setChosen((before) => (before.includes(name) ? before.filter((one) => one !== name) : [...before, name]))
  return (
    <>
      <DataTable
        label={`Files of ${prefix || bucket.id}`}
        rows={entries}
        rowKey={({ id, name }) => `${id ?? 'folder'} ${name}`}
        columns={[
          ...(mayChange
            ? [
                {
                  name: 'Choose',
                  isHeadHidden: true,
                  className: 'w-8',
                  cell: ({ id, name }: Entry) =>
                    id && (
                      <Checkbox
                        className="pointer-coarse:size-6"
                        aria-label={`Choose ${name}`}
                        checked={chosen.includes(name)}
                        onChange={() => toggle(name)}
                      />
                    ),
                },
              ]
            : []),
          {
            name: 'Name',
            className: 'min-w-40',
            cell: (entry) => (
              <span className="flex items-baseline gap-2 [&>svg]:self-center">
                {entry.id ? <File aria-hidden /> : <Folder aria-label="Folder" className="fill-secondary" />}
                <RowButton onClick={() => (entry.id ? onFile(entry) : onFolder(entry.name))}>{entry.name}</RowButton>
              </span>
            ),
          },
          {
            name: 'Size',
            isNumber: true,
            className: 'whitespace-nowrap',
            cell: ({ metadata }) => (metadata?.size === undefined ? '' : formatBytes(metadata.size)),
          },
          { name: 'Type', cell: ({ metadata }) => metadata?.mimetype ?? '' },
          { name: 'Changed', className: 'whitespace-nowrap', cell: ({ id, updated_at }) => (id ? formatTime(updated_at) : '') },
        ]}
      />
      {chosen.length > 0 && (
        <div className="sticky bottom-0 flex items-center gap-3 border-t-3 border-foreground bg-background py-2">
          <Button variant="destructive" size="compact" onClick={() => setAsked(true)}>
            Remove ({chosen.length})
          </Button>
          <Button variant="ghost" size="compact" onClick={() => setChosen([])}>
            Choose none
          </Button>
        </div>
      )}
      {isAsked && (
        <Confirm
          title={chosen.length === 1 ? `Remove ${chosen[0] ?? ''}?` : `Remove ${chosen.length} files?`}
          confirm="Remove"
          isPending={drop.isPending}
          onConfirm={() => drop.mutate()}
          onClose={() => setAsked(false)}
        >
          {bucket.has_versions ? 'They stay as versions and can be brought back.' : 'They cannot be brought back.'}
        </Confirm>
      )}
    </>
  )
}
