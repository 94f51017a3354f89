import { useState } from 'react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { RowButton } from '@/components/RowButton'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { useCatalog, type Trigger } from '@/lib/catalog'
import { useMay } from '@/lib/session'
import { Definition } from './Definition'
import { NewWebhook } from './NewWebhook'
import { ObjectPage } from './ObjectPage'
import { useActionsColumn } from './RowActions'
import { tablePath } from './table-path'
import { dropTrigger, switchTrigger } from './trigger-sql'
import { usePlace } from './use-place'
import { isWebhook } from './webhook-sql'

/** Triggers that send an HTTP request. The URL and the headers are part of the trigger's definition, which viewers may not read. */
export function Webhooks() {
  const { schema } = usePlace()
  const list = useCatalog('triggers', schema, onlyWebhooks)
  const [open, setOpen] = useState<Trigger | 'new'>()
  const mayChange = useMay('developer')
  const review = useReviewSql()
  const actions = useActionsColumn<Trigger>(nameOf, (one) => [
    { name: one.enabled ? 'Disable' : 'Enable', run: () => review(switchTrigger(schema, one)) },
    { name: 'Drop', run: () => review(dropTrigger(schema, one)) },
  ])
  return (
    <ObjectPage
      kind="webhooks"
      list={list}
      rowKey={({ oid }) => oid}
      words={({ name, table }) => `${name} ${table}`}
      empty={<Empty title="The tables of this schema have no webhooks." />}
      add={{ label: 'New webhook', onClick: () => setOpen('new') }}
      columns={[
        {
          name: 'Webhook',
          className: 'min-w-40 break-words',
          cell: (one) =>
            mayChange ? <RowButton onClick={() => setOpen(one)}>{one.name}</RowButton> : <strong>{one.name}</strong>,
        },
        { name: 'Table', cell: ({ table }) => <Link to={tablePath(schema, table)}>{table}</Link> },
        { name: 'Events', className: 'min-w-32', cell: ({ events }) => events.join(', ') },
        {
          name: 'State',
          cell: ({ enabled }) => <Badge tone={enabled ? 'success' : 'muted'}>{enabled ? 'enabled' : 'disabled'}</Badge>,
        },
        ...actions,
      ]}
    >
      {open === 'new' && <NewWebhook schema={schema} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== 'new' && (
        <Definition kind="triggers" oid={open.oid} title={nameOf(open)} onClose={() => setOpen(undefined)} />
      )}
    </ObjectPage>
  )
}

const nameOf = ({ name, table }: Trigger) => `${name} on ${table}`
const onlyWebhooks = (rows: Trigger[]) => rows.filter(isWebhook)
