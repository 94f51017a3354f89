import { Download, Eye, ListFilter, Plus, RefreshCw, RotateCcw, Upload } from 'lucide-react'
import { memo } from 'react'
import { Button } from '@cloch/ui/components/button'
import { ButtonRow } from '@/components/Page'
import { apiUrl } from '@/lib/api'
import { describeAs } from '@/lib/as'
import { formatCount, formatRows } from '@/lib/format'
import type { TableDetail } from '@/lib/schema'
import { useMay } from '@/lib/session'
import { CopyMenu } from './CopyMenu'
import { rowsRequest, type View } from './model'
import { mostRows } from './use-rows'

interface RowsToolbarProps {
  table: TableDetail
  view: View
  /** Whether rows can be inserted. */
  isTable: boolean
  /** Number of rows in the view. `undefined` until they have been counted. */
  count: number | undefined
  isExact: boolean
  onCount: () => void
  onOpen: (kind: 'new' | 'import' | 'as' | 'restore') => void
  onFilter: () => void
  onRefresh: () => void
}

/** Toolbar of the rows: actions, and the number of rows. */
export const RowsToolbar = memo(function RowsToolbar(props: RowsToolbarProps) {
  const { table, view, isTable, count, isExact, onCount, onOpen, onFilter, onRefresh } = props
  const mayChange = useMay('developer')
  const isOwner = useMay('owner')
  return (
    <ButtonRow>
      {mayChange && isTable && (
        <Button size="compact" onClick={() => onOpen('new')}>
          <Plus aria-hidden />
          Row
        </Button>
      )}
      <Button variant={view.as === null ? 'outline' : 'default'} size="compact" onClick={() => onOpen('as')}>
        <Eye aria-hidden />
        {view.as === null ? 'View as' : `Viewing as ${describeAs(view.as)}`}
      </Button>
      <Button variant="ghost" size="compact" onClick={onFilter}>
        <ListFilter aria-hidden />
        Filter
      </Button>
      <CopyMenu table={table} view={view} />
      <Button variant="ghost" size="compact" asChild>
        <a href={apiUrl('/rows/csv', { request: JSON.stringify(rowsRequest(table, view)) })} download>
          <Download aria-hidden />
          CSV
        </a>
      </Button>
      {mayChange && isTable && view.as === null && (
        <Button variant="ghost" size="compact" onClick={() => onOpen('import')}>
          <Upload aria-hidden />
          Import
        </Button>
      )}
      {isOwner && isTable && view.as === null && table.key.length > 0 && (
        <Button variant="ghost" size="compact" onClick={() => onOpen('restore')}>
          <RotateCcw aria-hidden />
          Restore<span className="max-lg:sr-only"> rows</span>
        </Button>
      )}
      <Button variant="ghost" size="compact-icon" aria-label="Refresh" onClick={onRefresh}>
        <RefreshCw aria-hidden />
      </Button>
      <p className="text-small text-muted-foreground tabular-nums max-sm:order-first sm:ml-auto" role="status">
        {count !== undefined && `${isExact ? '' : 'about '}${formatRows(count)}`}
        {count !== undefined && count > mostRows && `, the first ${formatCount(mostRows)} are drawn`}
      </p>
      {count !== undefined && !isExact && (
        <Button variant="ghost" size="compact" onClick={onCount}>
          Count
        </Button>
      )}
    </ButtonRow>
  )
})
