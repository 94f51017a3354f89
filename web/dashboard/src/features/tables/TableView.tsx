import { useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { cn } from '@cloch/ui/lib/cn'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { PageTitle } from '@/components/Page'
import { formatBytes } from '@/lib/format'
import type { As } from '@/lib/as'
import { schemaKey, type TableDetail } from '@/lib/schema'
import { RowsView } from './RowsView'
import { Structure } from './Structure'
import { below } from './TableEntry'
import { TableMenu } from './TableMenu'
import { viewFromQuery, viewToQuery, type View } from './model'
import { rowsKey } from './use-rows'

const tabs = ['Rows', 'Structure'] as const

/** Page of one table. It shows the table's rows or its structure. The URL contains the view, so that others can open it by a link. */
export function TableView({ table, as, onAs }: { table: TableDetail; as: As | null; onAs: (as: As | null) => void }) {
  const [query, setQuery] = useAddressQuery()
  const client = useQueryClient()
  const tab = query.get('show') === 'structure' ? 'Structure' : 'Rows'
  const { filters, sort } = viewFromQuery(query)
  // The URL may be older than the current structure of the table. Sort columns that no longer exist are ignored.
  const view: View = { filters, sort: sort.filter(({ column }) => table.columns.some(({ name }) => name === column)), as }
  const onView = (next: View) => {
    onAs(next.as)
    // The URL is updated synchronously, because the next change of the view is based on it.
    setQuery(viewToQuery(next), { replace: true, flushSync: true })
  }
  const refresh = () =>
    Promise.all([client.invalidateQueries({ queryKey: rowsKey(table) }), client.invalidateQueries({ queryKey: schemaKey })])
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 p-4">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 max-sm:gap-x-3">
        <Link to={`/tables/${encodeURIComponent(table.schema)}`} className="lg:hidden">
          <ArrowLeft aria-hidden className="sm:hidden" />
          <span className="max-sm:sr-only">All tables</span>
        </Link>
        <PageTitle>{table.name}</PageTitle>
        {table.kind === 'table' && !table.rls && <Badge tone="destructive">RLS off</Badge>}
        {table.kind !== 'table' && <Badge>{table.kind}</Badge>}
        {table.bytes !== null && (
          <span className="text-small text-muted-foreground max-sm:hidden">{formatBytes(table.bytes)}</span>
        )}
        <NarrowMenu table={table} />
        <nav aria-label="Parts of the table" className="ml-auto flex gap-1">
          {tabs.map((name) => (
            <Link
              key={name}
              to={name === 'Rows' ? '?' : '?show=structure'}
              aria-current={name === tab ? 'page' : undefined}
              className={cn(
                'border-b-6 border-transparent px-3 py-1 text-foreground no-underline hover:bg-accent',
                name === tab && 'border-foreground font-bold',
              )}
            >
              {name}
            </Link>
          ))}
        </nav>
      </header>
      {tab === 'Rows' ? (
        <RowsView table={table} view={view} onView={onView} onRefresh={() => void refresh()} />
      ) : (
        <Structure table={table} />
      )}
    </div>
  )
}

/** The table's menu in a narrow window, where the list of tables is not visible beside the table. */
function NarrowMenu({ table }: { table: TableDetail }) {
  const [at, setAt] = useState<{ x: number; y: number }>()
  return (
    <>
      <Button
        variant="ghost"
        size="compact-icon"
        aria-label={`Actions of ${table.name}`}
        aria-haspopup="menu"
        className="lg:hidden"
        onClick={(event) => setAt(below(event.currentTarget))}
      >
        <Ellipsis aria-hidden />
      </Button>
      {at && <TableMenu table={table} at={at} isCurrent onClose={() => setAt(undefined)} />}
    </>
  )
}
