import { useCallback, useState } from 'react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { Empty, Failed } from '@/components/states'
import { describeAs, type As } from '@/lib/as'
import type { TableDetail } from '@/lib/schema'
import { useMay } from '@/lib/session'
import { useUnsaved, type Move } from '@/lib/unsaved'
import { CsvImport } from './CsvImport'
import { Filters } from './Filters'
import { Grid, type Choice } from './Grid'
import { NewRow } from './NewRow'
import { Preview } from './Preview'
import { ReferencePicker } from './ReferencePicker'
import { RestoreRows } from './RestoreRows'
import { RowPanel } from './RowPanel'
import { RowsToolbar } from './RowsToolbar'
import { UnsavedEdits } from './UnsavedEdits'
import { ViewAs } from './ViewAs'
import type { View } from './model'
import { useEdits } from './use-edits'
import { pagesBetween, useRows, type Row } from './use-rows'

interface RowsViewProps {
  table: TableDetail
  view: View
  onView: (view: View) => void
  onRefresh: () => void
}

type Window = 'new' | 'import' | 'as' | 'restore'

type Open =
  | { kind: 'row'; row: Row }
  | { kind: Window }
  | { kind: 'follow'; column: string; value: string }
  | { kind: 'choose'; choice: Choice }

/** The rows of a table with the toolbar and the dialogs for them. */
export function RowsView({ table, view, onView, onRefresh }: RowsViewProps) {
  const [pages, setPages] = useState<readonly number[]>([0])
  const [isExact, setExact] = useState(false)
  const [open, setOpen] = useState<Open>()
  const mayChange = useMay('developer')
  const rows = useRows(table, view, pages, isExact)
  const { edits, edit, ...unsaved } = useEdits(table, view.as, onRefresh)
  useUnsaved(unsavedText(edits.length, table.name), leavesRows)
  const isTable = table.kind === 'table' || table.kind === 'partitioned'
  const canEdit = mayChange && isTable && table.key.length > 0
  const count = useCallback(() => setExact(true), [])
  const openKind = useCallback((kind: Window) => setOpen({ kind }), [])
  const addFilter = useCallback(
    () => onView({ ...view, filters: [...view.filters, { column: table.columns[0]?.name ?? '', op: 'eq', value: '' }] }),
    [onView, view, table],
  )
  const sort = (column: string) => {
    const known = view.sort.find((by) => by.column === column)
    const next = known === undefined ? [{ column, descending: false }] : known.descending ? [] : [{ column, descending: true }]
    onView({ ...view, sort: next })
  }
  return (
    <>
      <RowsToolbar
        table={table}
        view={view}
        isTable={isTable}
        count={rows.isCounted ? rows.all : undefined}
        isExact={rows.isExact}
        onCount={count}
        onOpen={openKind}
        onFilter={addFilter}
        onRefresh={onRefresh}
      />
      <Filters table={table} filters={view.filters} onChange={(filters) => onView({ ...view, filters })} />
      {edits.length > 0 && <UnsavedEdits count={edits.length} as={view.as} {...unsaved} />}
      {mayChange && isTable && table.key.length === 0 && (
        <p className="text-small text-muted-foreground">
          Rows are read-only here: without a primary key, or a unique index over required columns, one row cannot be told from
          another like it. <Link to="?show=structure">Give the table a key</Link> to edit them.
        </p>
      )}
      {rows.error && <Failed error={rows.error} onRetry={onRefresh} />}
      {rows.error && view.as !== null && !rows.isLoaded && (
        <Button size="compact" className="justify-self-start" asChild>
          <Link to={whyAddress(table, view.as)}>Why is it refused?</Link>
        </Button>
      )}
      {rows.error && !rows.isLoaded ? null : rows.isLoaded && rows.total === 0 ? (
        <NoRows table={table} view={view} />
      ) : (
        <Grid
          key={JSON.stringify([view.filters, view.sort, view.as])}
          table={table}
          total={rows.total}
          row={rows.row}
          loaded={rows.loaded}
          sort={view.sort}
          onSort={sort}
          edits={edits}
          onEdit={canEdit ? edit : undefined}
          onUndo={unsaved.undo}
          onRedo={unsaved.redo}
          onRange={(from, to) => setPages((before) => kept(before, pagesBetween(from, to)))}
          onOpen={(row) => setOpen({ kind: 'row', row })}
          onFollow={(column, value) => setOpen({ kind: 'follow', column, value })}
          onChoose={(choice) => setOpen({ kind: 'choose', choice })}
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
      {open?.kind === 'restore' && <RestoreRows table={table} onClose={() => setOpen(undefined)} />}
      {open?.kind === 'follow' && (
        <Preview table={table} column={open.column} value={open.value} as={view.as} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === 'choose' && (
        <ReferencePicker {...open.choice} as={view.as} onTake={open.choice.take} onClose={() => setOpen(undefined)} />
      )}
      {open?.kind === 'as' && (
        <ViewAs as={view.as} onChange={(as) => onView({ ...view, as })} onClose={() => setOpen(undefined)} />
      )}
    </>
  )
}

/** Whether a navigation leaves the rows of the table. Unsaved edits are lost only then: they are kept when the filter or the order changes. */
const leavesRows = ({ currentLocation: from, nextLocation: to }: Move) =>
  from.pathname !== to.pathname || new URLSearchParams(to.search).get('show') === 'structure'

/** Text for the warning about unsaved edits. */
const unsavedText = (edits: number, table: string) =>
  edits === 0 ? undefined : `${edits === 1 ? 'One change' : `${edits} changes`} of ${table} would be lost.`

/** If both arrays contain the same pages, returns the old array. Then nothing is rendered again while the user scrolls within these pages. */
const kept = (before: readonly number[], now: readonly number[]) => (before.join() === now.join() ? before : now)

function NoRows({ table, view }: { table: TableDetail; view: View }) {
  if (view.as === null) return <Empty title={view.filters.length > 0 ? 'No row is like this' : 'There are no rows yet'} />
  return (
    <Empty
      title={`${describeAs(view.as)} sees no row`}
      action={
        <div className="flex flex-wrap gap-2">
          <Button size="compact" asChild>
            <Link to={whyAddress(table, view.as)}>Why is it empty?</Link>
          </Button>
          <Button size="compact" variant="outline" asChild>
            <Link
              to={`/policies?${new URLSearchParams({ schema: table.schema, find: table.name, edit: encodeURIComponent(table.name) })}`}
            >
              Add a policy
            </Link>
          </Button>
        </div>
      }
    >
      {table.policies.length === 0 && table.rls
        ? 'Row-level security is on, and no policy lets anybody see a row.'
        : 'A policy hides them, or there are none.'}
    </Empty>
  )
}

/** URL of the page Why, which explains what this caller may do with this table. */
const whyAddress = ({ schema, name }: TableDetail, as: As) =>
  `/why?${new URLSearchParams({ path: `/rest/v1/${encodeURIComponent(name)}`, schema, as: JSON.stringify(as) })}`
