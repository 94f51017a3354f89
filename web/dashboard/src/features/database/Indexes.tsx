import { useState } from 'react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { useCatalog, type Index } from '@/lib/catalog'
import { formatBytes, formatCount } from '@/lib/format'
import { dropIndex } from './index-sql'
import { NewIndex } from './NewIndex'
import { ObjectPage } from './ObjectPage'
import { useActionsColumn } from './RowActions'
import { tablePath } from './table-path'
import { usePlace } from './use-place'

/** Indexes of a schema. An index that belongs to a constraint can be dropped only together with the constraint. */
export function Indexes() {
  const { schema } = usePlace()
  const list = useCatalog('indexes', schema)
  const [isNew, setNew] = useState(false)
  const review = useReviewSql()
  const actions = useActionsColumn<Index>(
    ({ name }) => name,
    (one) => (one.constrains ? [] : [{ name: 'Drop', run: () => review(dropIndex(schema, one)) }]),
  )
  return (
    <ObjectPage
      kind="indexes"
      list={list}
      rowKey={({ name }) => name}
      words={({ name, definition }) => `${name} ${definition}`}
      empty={<Empty title="The tables of this schema have no indexes." />}
      add={{ label: 'New index', onClick: () => setNew(true) }}
      columns={[
        { name: 'Index', className: 'min-w-40 break-words font-strong', cell: ({ name }) => name },
        { name: 'Table', cell: ({ table }) => <Link to={tablePath(schema, table, 'structure')}>{table}</Link> },
        {
          name: 'Definition',
          className: 'min-w-48',
          cell: ({ definition }) => <code>{definition.replace(/^create (unique )?index .*? using /i, '')}</code>,
        },
        { name: 'Kind', className: 'whitespace-nowrap', cell: (index) => <Kind index={index} /> },
        { name: 'Size', isNumber: true, className: 'whitespace-nowrap', cell: ({ bytes }) => formatBytes(bytes) },
        { name: 'Scans', isNumber: true, cell: ({ scans }) => formatCount(scans) },
        ...actions,
      ]}
    >
      {isNew && <NewIndex schema={schema} onClose={() => setNew(false)} />}
    </ObjectPage>
  )
}

function Kind({ index: { primary, unique, constrains, valid } }: { index: Index }) {
  return (
    <span className="inline-flex flex-wrap gap-1.5">
      {primary ? 'primary key' : unique ? 'unique' : constrains ? 'constraint' : 'index'}
      {!valid && <Badge tone="destructive">not valid</Badge>}
    </span>
  )
}
