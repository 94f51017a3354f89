import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '@/lib/errors'
import { Button } from '@cloch/ui/components/button'
import { BlockTable, type Column } from '../shared/BlockTable'
import { Empty } from '../shared/Empty'
import { ListState } from '../shared/ListState'
import { RowActions } from '../shared/RowActions'
import { useDelete } from '../shared/use-delete'
import { deleteSiteRow, restoreSiteRow, siteRowsQuery } from './queries'
import { SiteForm } from './SiteForm'
import type { SiteRow, SiteTable } from './site-tables'

/** One of the website's lists, whose items can be added, edited and deleted. */
export function SiteList({ site }: { site: SiteTable }) {
  const rows = useQuery(siteRowsQuery(site))
  const [editing, setEditing] = useState<{ row: SiteRow | undefined }>()
  const remove = useDelete<SiteRow>({
    list: ['site', site.table],
    stale: ['site', 'status'],
    remove: (row) => deleteSiteRow(site, row),
    restore: (row) => restoreSiteRow(site, row),
    deleted: `${site.record} deleted successfully`,
    failed: (error) => `Failed to delete ${site.record.toLowerCase()}: ${messageOf(error)}`,
  })
  const columns: Column<SiteRow>[] = [
    { name: site.record, cell: site.name, lead: true },
    ...site.facts.map(({ name, value }) => ({ name, cell: (row: SiteRow) => value(row) || '-' })),
    {
      name: 'Actions',
      corner: true,
      cell: (row) => (
        <RowActions name={site.name(row)} onEdit={() => setEditing({ row })} onDelete={() => remove.mutate(row)} />
      ),
    },
  ]
  const add = (
    <Button size="sm" variant="outline" onClick={() => setEditing({ row: undefined })}>
      <Plus aria-hidden />
      Add {site.record}
    </Button>
  )
  return (
    <ListState query={rows} failed="Failed to load the website’s content">
      {(all) => (
        <>
          <div className="mb-3 flex justify-end">{add}</div>
          {all.length === 0 ? <Empty>Nothing here yet</Empty> : <BlockTable label={site.title} columns={columns} rows={all} />}
          {editing ? <SiteForm site={site} row={editing.row} onClose={() => setEditing(undefined)} /> : null}
        </>
      )}
    </ListState>
  )
}
