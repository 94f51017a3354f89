import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { Code } from '@/components/Copy'
import { DataTable } from '@/components/DataTable'
import { TextField } from '@/components/fields'
import { Empty, Failed, Loading, Refused } from '@/components/states'
import { post } from '@/lib/api'
import { formatCount, formatExactTime } from '@/lib/format'
import { restoreKey } from '@/lib/row-copy'
import { schemaKey, type TableDetail } from '@/lib/schema'
import { useAction } from '@/lib/use-action'
import {
  maxChosen,
  maxShown,
  restoredText,
  rowName,
  rowText,
  type FoundRow,
  type FoundRows,
  type RestoreSql,
} from './restore-rows'
import { rowsKey } from './use-rows'

interface RestoreFoundProps {
  table: TableDetail
  moment: string
  isLeaving: boolean
  /** Deletes the copy of the database, so that another point in time can be chosen. */
  onOther: () => void
}

const foundKey = [...restoreKey, 'found']

/** The rows of the copy that have been deleted or changed since that time. The user selects rows, reviews the SQL, and restores them. */
export function RestoreFound({ table, moment, isLeaving, onOther }: RestoreFoundProps) {
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<readonly FoundRow[]>([])
  const { schema, name } = table
  const found = useInfiniteQuery({
    queryKey: [...foundKey, moment, schema, name, search],
    queryFn: ({ pageParam, signal }) =>
      post<FoundRows>('/restore-rows/find', { schema, table: name, search, after: pageParam }, signal),
    initialPageParam: null as string[] | null,
    getNextPageParam: ({ next }, pages) => (countOf(pages) < maxShown ? next : null),
  })
  const pages = found.data?.pages ?? []
  const rows = pages.flatMap((page) => page.rows)
  const compared = pages.reduce((sum, page) => sum + page.compared, 0)
  const leftOut = pages[0]?.left_out ?? []
  const choose = (next: readonly FoundRow[]) => setChosen(next)
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Search onSearch={setSearch} />
        <Button variant="outline" size="compact" disabled={isLeaving} onClick={onOther}>
          Another moment
        </Button>
      </div>
      <p role="status" className="text-small text-muted-foreground">
        As at {formatExactTime(moment)}: {formatCount(compared)} rows compared, {formatCount(rows.length)} deleted or changed,{' '}
        {formatCount(chosen.length)} chosen.
      </p>
      {leftOut.length > 0 && (
        <p className="text-small">
          Not restored, because they do not exist now or have another type: <code>{leftOut.join(', ')}</code>.
        </p>
      )}
      {found.isError && <Failed error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <Loading what="the rows" />}
      {found.isSuccess && rows.length === 0 && !found.hasNextPage && <Empty title="No row was deleted or changed since." />}
      {rows.length > 0 && (
        <FoundTable columns={pages[0]?.columns ?? []} rows={rows} table={name} chosen={chosen} onChoose={choose} />
      )}
      <div className="flex flex-wrap gap-2">
        {found.hasNextPage && (
          <Button
            variant="outline"
            size="compact"
            disabled={found.isFetchingNextPage}
            aria-busy={found.isFetchingNextPage}
            onClick={() => void found.fetchNextPage()}
          >
            Compare more rows
          </Button>
        )}
        {rows.length > 0 && (
          <Button variant="outline" size="compact" onClick={() => choose(chosen.length > 0 ? [] : rows.slice(0, maxChosen))}>
            {chosen.length > 0 ? 'Choose none' : 'Choose all shown'}
          </Button>
        )}
      </div>
      {rows.length >= maxShown && <p>{formatCount(maxShown)} rows are shown at most. Search for others.</p>}
      {chosen.length > 0 && (
        <Apply key={chosen.map(rowName).join('\n')} table={table} chosen={chosen} onDone={() => setChosen([])} />
      )}
    </div>
  )
}

const countOf = (pages: readonly FoundRows[]) => pages.reduce((sum, { rows }) => sum + rows.length, 0)

function Search({ onSearch }: { onSearch: (text: string) => void }) {
  const [text, setText] = useState('')
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        onSearch(text)
      }}
    >
      <TextField label="Text of a row" type="search" className="w-60" value={text} onChange={setText} autoComplete="off" />
      <Button type="submit" variant="outline" size="compact">
        Search
      </Button>
    </form>
  )
}

interface FoundTableProps {
  columns: readonly string[]
  rows: readonly FoundRow[]
  table: string
  chosen: readonly FoundRow[]
  onChoose: (rows: readonly FoundRow[]) => void
}

function FoundTable({ columns, rows, table, chosen, onChoose }: FoundTableProps) {
  const names = new Set(chosen.map(rowName))
  const toggle = (row: FoundRow) =>
    onChoose(names.has(rowName(row)) ? chosen.filter((one) => rowName(one) !== rowName(row)) : [...chosen, row])
  return (
    <DataTable
      label={`Deleted and changed rows of ${table}`}
      rows={rows}
      rowKey={rowName}
      columns={[
        {
          name: 'Choose',
          isHeadHidden: true,
          className: 'w-8',
          cell: (row) => (
            <Checkbox
              className="pointer-coarse:size-6"
              aria-label={`Choose ${rowName(row)}`}
              checked={names.has(rowName(row))}
              onChange={() => toggle(row)}
            />
          ),
        },
        { name: 'Key', className: 'break-all', cell: (row) => <code>{rowName(row)}</code> },
        { name: 'Now', cell: ({ changed }) => (changed ? `changed: ${changed.join(', ')}` : 'deleted') },
        {
          name: 'Then',
          className: 'min-w-40 break-words',
          cell: (row) => <span className="line-clamp-3">{rowText(columns, row)}</span>,
        },
      ]}
    />
  )
}

interface ApplyProps {
  table: TableDetail
  chosen: readonly FoundRow[]
  onDone: () => void
}

/** Dialog that shows the SQL for the selected rows, then runs it. */
function Apply({ table, chosen, onDone }: ApplyProps) {
  const rows = { schema: table.schema, table: table.name, keys: chosen.map(({ key }) => key) }
  const sql = useAction(() => post<RestoreSql>('/restore-rows/sql', rows), {})
  const apply = useAction(
    (digest: string) => post<{ inserted: number; updated: number }>('/restore-rows/apply', { ...rows, digest }),
    { done: restoredText, refresh: [foundKey, rowsKey(table), schemaKey], onDone },
  )
  const shown = sql.data
  return (
    <div className="grid justify-items-start gap-2">
      {chosen.length > maxChosen && <p>{formatCount(maxChosen)} rows can be restored at once.</p>}
      <Button
        variant={shown ? 'outline' : 'default'}
        size="compact"
        disabled={sql.isPending || chosen.length > maxChosen}
        aria-busy={sql.isPending}
        onClick={() => sql.mutate()}
      >
        Show the SQL
      </Button>
      {sql.isError && <Refused error={sql.error} />}
      {shown && (
        <>
          <div className="w-full">
            <Code label="What will run" text={shown.sql} />
          </div>
          <p>
            It runs as the project’s owner, in one transaction: {formatCount(shown.inserted)} inserted,{' '}
            {formatCount(shown.updated)} updated. Triggers run as in other changes.
          </p>
          {apply.isError && <Refused error={apply.error} />}
          <Button
            size="compact"
            disabled={apply.isPending}
            aria-busy={apply.isPending}
            onClick={() => apply.mutate(shown.digest)}
          >
            Restore {shown.inserted + shown.updated === 1 ? 'one row' : `${shown.inserted + shown.updated} rows`}
          </Button>
        </>
      )}
    </div>
  )
}
