import { useState } from 'react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { RowButton } from '@/components/RowButton'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { useCatalog, type Trigger } from '@/lib/catalog'
import { useMay } from '@/lib/session'
import { Definition } from './Definition'
import { NewTrigger } from './NewTrigger'
import { ObjectPage } from './ObjectPage'
import { useActionsColumn } from './RowActions'
import { tablePath } from './table-path'
import { dropTrigger, switchTrigger } from './trigger-sql'
import { usePlace } from './use-place'

export function Triggers() {
  const { schema } = usePlace()
  const list = useCatalog('triggers', schema)
  const [open, setOpen] = useState<Trigger | 'new'>()
  const mayChange = useMay('developer')
  const review = useReviewSql()
  const actions = useActionsColumn<Trigger>(nameOf, (one) => [
    { name: one.enabled ? 'Disable' : 'Enable', run: () => review(switchTrigger(schema, one)) },
    { name: 'Drop', run: () => review(dropTrigger(schema, one)) },
  ])
  return (
    <ObjectPage
      kind="triggers"
      list={list}
      rowKey={({ oid }) => oid}
      words={(one) => `${one.name} ${one.table} ${one.function}`}
      empty={<Empty title="The tables of this schema have no triggers." />}
      add={{ label: 'New trigger', onClick: () => setOpen('new') }}
      columns={[
        {
          name: 'Trigger',
          className: 'min-w-40 break-words',
          cell: (one) =>
            mayChange ? <RowButton onClick={() => setOpen(one)}>{one.name}</RowButton> : <strong>{one.name}</strong>,
        },
        { name: 'Table', cell: ({ table }) => <Link to={tablePath(schema, table)}>{table}</Link> },
        {
          name: 'When',
          className: 'min-w-40',
          cell: ({ timing, events, each_row }) => `${timing} ${events.join(', ')}, for each ${each_row ? 'row' : 'statement'}`,
        },
        {
          name: 'Function',
          cell: (one) => (
            <code>{one.function_schema === schema ? one.function : `${one.function_schema}.${one.function}`}</code>
          ),
        },
        {
          name: 'State',
          cell: ({ enabled }) => <Badge tone={enabled ? 'success' : 'muted'}>{enabled ? 'enabled' : 'disabled'}</Badge>,
        },
        ...actions,
      ]}
    >
      {open === 'new' && <NewTrigger schema={schema} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== 'new' && (
        <Definition kind="triggers" oid={open.oid} title={nameOf(open)} onClose={() => setOpen(undefined)} />
      )}
    </ObjectPage>
  )
}

const nameOf = ({ name, table }: Trigger) => `${name} on ${table}`
