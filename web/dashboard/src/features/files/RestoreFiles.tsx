import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { BackupCopy } from '@/components/BackupCopy'
import { DataTable } from '@/components/DataTable'
import { TextField } from '@/components/fields'
import { Empty, Failed, Loading, Refused } from '@/components/states'
import { post } from '@/lib/api'
import { formatBytes, formatCount, formatExactTime } from '@/lib/format'
import { restoreKey } from '@/lib/row-copy'
import { useAction } from '@/lib/use-action'
import { filesKey, type Bucket } from './contract'
import {
  consequences,
  maxChosen,
  restoredText,
  restoreRequest,
  stateText,
  type FoundFile,
  type FoundFiles,
  type Restored,
} from './restore-files'

interface RestoreFilesProps {
  bucket: Bucket
  /** Path of the folder with a slash at its end, or the whole name of a file. Empty for the whole bucket. */
  prefix: string
  onClose: () => void
}

const foundKey = [...restoreKey, 'files']

/** Restores deleted and replaced files of a folder, or one file, from the backup. */
export function RestoreFiles({ bucket, prefix, onClose }: RestoreFilesProps) {
  return (
    <BackupCopy title={`Restore files of ${prefix || bucket.id}`} what="files" how="replaced" onClose={onClose}>
      {(copy) => <Found bucket={bucket} prefix={prefix} {...copy} />}
    </BackupCopy>
  )
}

interface FoundProps {
  bucket: Bucket
  prefix: string
  moment: string
  isLeaving: boolean
  onOther: () => void
}

/** Lists the files of the copy that have been deleted or replaced since that time. The user selects files, reads the consequences, and restores
 * the files. */
function Found({ bucket, prefix, moment, isLeaving, onOther }: FoundProps) {
  const [text, setText] = useState('')
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<readonly FoundFile[]>([])
  const found = useInfiniteQuery({
    queryKey: [...foundKey, moment, bucket.id, prefix, search],
    queryFn: ({ pageParam, signal }) =>
      post<FoundFiles>('/restore-files/find', { bucket: bucket.id, prefix, search, after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const pages = found.data?.pages ?? []
  const files = pages.flatMap((page) => page.files)
  const compared = pages.reduce((sum, page) => sum + page.compared, 0)
  return (
    <div className="grid gap-3">
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          setSearch(text)
        }}
      >
        <TextField label="Part of a name" type="search" className="w-60" value={text} onChange={setText} autoComplete="off" />
        <Button type="submit" variant="outline" size="compact">
          Search
        </Button>
        <Button variant="outline" size="compact" disabled={isLeaving} onClick={onOther}>
          Another moment
        </Button>
      </form>
      <p role="status" className="text-small text-muted-foreground">
        As at {formatExactTime(moment)}: {formatCount(compared)} files compared, {formatCount(files.length)} deleted or
        replaced, {formatCount(chosen.length)} chosen.
      </p>
      {found.isError && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading what="the files" />}
      {found.data && files.length === 0 && !found.hasNextPage && <Empty title="No file was deleted or replaced since." />}
      {files.length > 0 && <FoundTable prefix={prefix} files={files} chosen={chosen} onChoose={setChosen} />}
      {found.hasNextPage && (
        <Button
          variant="outline"
          size="compact"
          className="justify-self-start"
          disabled={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Search on
        </Button>
      )}
      {chosen.length > 0 && (
        <Apply key={chosen.map(({ name }) => name).join('/')} bucket={bucket} chosen={chosen} onDone={() => setChosen([])} />
      )}
    </div>
  )
}

interface FoundTableProps {
  prefix: string
  files: readonly FoundFile[]
  chosen: readonly FoundFile[]
  onChoose: (files: readonly FoundFile[]) => void
}

function FoundTable({ prefix, files, chosen, onChoose }: FoundTableProps) {
  const names = new Set(chosen.map(({ name }) => name))
  const toggle = (file: FoundFile) =>
    onChoose(names.has(file.name) ? chosen.filter(({ name }) => name !== file.name) : [...chosen, file])
  const short = (name: string) => (name.length > prefix.length ? name.slice(prefix.length) : name)
  return (
    <>
      <DataTable
        label={`Deleted and replaced files of ${prefix || 'the bucket'}`}
        rows={files}
        rowKey={({ name }) => name}
        columns={[
          {
            name: 'Choose',
            isHeadHidden: true,
            className: 'w-8',
            cell: (file) => (
              <Checkbox
                className="pointer-coarse:size-6"
                aria-label={`Choose ${short(file.name)}`}
                checked={names.has(file.name)}
                onChange={() => toggle(file)}
              />
            ),
          },
          { name: 'Name', className: 'min-w-40 break-all', cell: ({ name }) => short(name) },
          { name: 'Then', isNumber: true, className: 'whitespace-nowrap', cell: ({ size }) => formatBytes(size ?? 0) },
          { name: 'Now', cell: stateText },
        ]}
      />
      {files.length > 1 && (
        <Button
          variant="ghost"
          size="compact"
          className="justify-self-start"
          onClick={() => onChoose(names.size === files.length ? [] : files)}
        >
          {names.size === files.length ? 'Choose none' : `Choose all ${files.length}`}
        </Button>
      )}
    </>
  )
}

interface ApplyProps {
  bucket: Bucket
  chosen: readonly FoundFile[]
  onDone: () => void
}

/** Describes the consequences for the selected files, then restores them. */
function Apply({ bucket, chosen, onDone }: ApplyProps) {
  const [only] = chosen
  const [to, setTo] = useState(only?.name ?? '')
  const apply = useAction(() => post<Restored>('/restore-files/apply', restoreRequest(bucket.id, chosen, to)), {
    done: restoredText,
    refresh: [foundKey, filesKey],
    onDone: ({ failed }) => {
      if (failed.length === 0) onDone()
    },
  })
  return (
    <section aria-label="What will happen" className="grid justify-items-start gap-2 border-t-3 border-foreground pt-3">
      {chosen.length === 1 && (
        <TextField
          label="Restore as"
          hint="Another name leaves the present file as it is."
          className="w-full max-w-lg"
          controlClassName="font-mono"
          spellCheck={false}
          autoComplete="off"
          value={to}
          onChange={setTo}
        />
      )}
      <p>{consequences(bucket, chosen, to).join(' ')}</p>
      {chosen.length > maxChosen && <p>{formatCount(maxChosen)} files can be restored at once.</p>}
      {apply.isError && <Refused error={apply.error} />}
      {apply.data?.failed.map(({ name, message }) => (
        <p key={name} role="alert" className="rounded border-l-6 border-destructive bg-destructive-wash px-3 py-2">
          <code className="break-all">{name}</code>: {message}
        </p>
      ))}
      <Button
        size="compact"
        disabled={apply.isPending || chosen.length > maxChosen || to.trim() === ''}
        aria-busy={apply.isPending}
        onClick={() => apply.mutate()}
      >
        Restore {chosen.length === 1 ? 'the file' : `${chosen.length} files`}
      </Button>
    </section>
  )
}
