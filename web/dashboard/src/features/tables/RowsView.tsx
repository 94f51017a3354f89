import { Download, Eye, Plus, RefreshCw, Save, Undo2, Upload } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AsPicker } from '@/components/AsPicker'
import { Dialog } from '@/components/Dialog'
import { Empty, Failed } from '@/components/states'
import { apiUrl } from '@/lib/api'
import { describeAs, type As } from '@/lib/as'
import { formatCount } from '@/lib/format'
import type { TableDetail } from '@/lib/schema'
import { useMay } from '@/lib/session'
import { CopyMenu } from './CopyMenu'
import { CsvImport } from './CsvImport'
import { Filters } from './Filters'
import { Grid } from './Grid'
import { Preview } from './Preview'
import { NewRow, RowPanel } from './RowPanel'
import { rowsRequest, type View } from './model'
import { useEdits } from './use-edits'
import { mostRows, useRows, type Row } from './use-rows'

interface RowsViewProps {
  table: TableDetail
  view: View
  onView: (view: View) => void
  onRefresh: () => void
}

type Open = { kind: 'row'; row: Row } | { kind: 'new' | 'import' | 'as' } | { kind: 'follow'; column: string; value: string }

/** The rows of a table with what can be done with them. */
export function RowsView({ table, view, onView, onRefresh }: RowsViewProps) {
  const [range, setRange] = useState<[number, number]>([0, 60])
  const [isExact, setExact] = useState(false)
  const [open, setOpen] = useState<Open>()
  const mayChange = useMay('developer')
  const rows = useRows(table, view, range[0], range[1], isExact)
  const { edits, edit, undo, save } = useEdits(table, view.as, onRefresh)
  const isTable = table.kind === 'table' || table.kind === 'partitioned'
  const canEdit = mayChange && isTable && table.key.length > 0
  const sort = (column: string) => {
    const known = view.sort.find((by) => by.column === column)
    const next = known === undefined ? [{ column, descending: false }] : known.descending ? [] : [{ column, descending: true }]
    onView({ ...view, sort: next })
  }
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {mayChange && isTable && (
          <Button size="compact" onClick={() => setOpen({ kind: 'new' })}>
            <Plus aria-hidden />
            Row
          </Button>
        )}
        <Button variant={view.as === null ? 'outline' : 'default'} size="compact" onClick={() => setOpen({ kind: 'as' })}>
          <Eye aria-hidden />
          {view.as === null ? 'View as' : `Viewing as ${describeAs(view.as)}`}
        </Button>
        <CopyMenu table={table} view={view} />
        <Button variant="ghost" size="compact" asChild>
          <a href={apiUrl('/rows/csv', { request: JSON.stringify(rowsRequest(table, view)) })} download>
            <Download aria-hidden />
            CSV
          </a>
        </Button>
        {mayChange && isTable && view.as === null && (
          <Button variant="ghost" size="compact" onClick={() => setOpen({ kind: 'import' })}>
            <Upload aria-hidden />
            Import
          </Button>
        )}
        <Button variant="ghost" size="compact-icon" aria-label="Read again" onClick={onRefresh}>
          <RefreshCw aria-hidden />
        </Button>
        <p className="ml-auto text-small text-muted-foreground tabular-nums" role="status">
          {rows.isCounted && `${rows.isExact ? '' : 'about '}${formatCount(rows.all)} ${rows.all === 1 ? 'row' : 'rows'}`}
          {rows.all > mostRows && `, the first ${formatCount(mostRows)} are drawn`}
        </p>
        {rows.isCounted && !rows.isExact && (
          <Button variant="ghost" size="compact" onClick={() => setExact(true)}>
            Count
          </Button>
        )}
      </div>
      <Filters table={table} filters={view.filters} onChange={(filters) => onView({ ...view, filters })} />
      {edits.length > 0 && (
        <div
          role="status"
          className="flex flex-wrap items-center gap-2 rounded border-l-6 border-warning bg-warning-wash px-3 py-2"
        >
          <span>
            {edits.length} {edits.length === 1 ? 'change is' : 'changes are'} not saved.
          </span>
          <Button size="compact" onClick={() => void save()}>
            <Save aria-hidden />
            {view.as === null ? 'Show the SQL' : `Try as ${describeAs(view.as)}`}
          </Button>
          <Button variant="outline" size="compact" onClick={undo}>
            <Undo2 aria-hidden />
            Undo
          </Button>
        </div>
      )}
      {rows.error && <Failed error={rows.error} onRetry={onRefresh} />}
      {rows.isLoaded && rows.total === 0 ? (
        <NoRows table={table} view={view} />
      ) : (
        <Grid
          key={JSON.stringify([view.filters, view.sort, view.as])}
          table={table}
          total={rows.total}
          row={rows.row}
          sort={view.sort}
          onSort={sort}
          edits={edits}
          onEdit={canEdit ? edit : undefined}
          onRange={(from, to) => setRange((before) => (before[0] === from && before[1] === to ? before : [from, to]))}
          onOpen={(row) => setOpen({ kind: 'row', row })}
          onFollow={(column, value) => setOpen({ kind: 'follow', column, value })}
        />
      )}
      {open?.kind === 'row' && (
        <RowPanel
          table={table}
          row={open.row}
          as={view.as}
          onEdit={canEdit ? edit : undefined}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.kind === 'new' && <NewRow table={table} as={view.as} onClose={() => setOpen(undefined)} onDone={onRefresh} />}
      {open?.kind === 'import' && <CsvImport table={table} onClose={() => setOpen(undefined)} onDone={onRefresh} />}
      {open?.kind === 'follow' && (
        <Preview table={table} column={open.column} value={open.value} as={view.as} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === 'as' && (
        <ViewAs as={view.as} onChange={(as) => onView({ ...view, as })} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}

function NoRows({ table, view }: { table: TableDetail; view: View }) {
  if (view.as !== null)
    return (
      <Empty title={`${describeAs(view.as)} sees no row`}>
        {table.policies.length === 0 && table.rls
          ? 'Row-level security is on, and no policy lets anybody see a row.'
          : 'A policy hides them, or there are none. “Why refused” tells which.'}
      </Empty>
    )
  return <Empty title={view.filters.length > 0 ? 'No row is like this' : 'There are no rows yet'} />
}

/** Whose eyes to look with. Everything is read, and tried, as that caller; nothing is kept. */
function ViewAs({ as, onChange, onClose }: { as: As | null; onChange: (as: As | null) => void; onClose: () => void }) {
  const [chosen, setChosen] = useState<As>(as ?? { role: 'anon' })
  const isReady = !('user' in chosen) || chosen.user !== ''
  const footer = (
    <>
      <Button
        size="compact"
        disabled={!isReady}
        onClick={() => {
          onChange('role' in chosen && chosen.role === 'postgres' ? null : chosen)
          onClose()
        }}
      >
        View
      </Button>
      {as !== null && (
        <Button
          variant="outline"
          size="compact"
          onClick={() => {
            onChange(null)
            onClose()
          }}
        >
          View everything
        </Button>
      )}
    </>
  )
  return (
    <Dialog
      title="View as somebody else"
      description="You see the rows that they would see. Changes are tried as them and taken back."
      onClose={onClose}
      footer={footer}
    >
      <AsPicker value={chosen} onChange={setChosen} />
    </Dialog>
  )
}
