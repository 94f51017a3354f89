import { useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { RowButton } from '@/components/RowButton'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { getDefinition, useCatalog, type DatabaseFunction } from '@/lib/catalog'
import { useMay } from '@/lib/session'
import { unqualified } from '@/lib/sql-text'
import { useAction } from '@/lib/use-action'
import { Definition } from './Definition'
import { dropFunction, replaceFunction } from './function-sql'
import { NewFunction } from './NewFunction'
import { ObjectPage } from './ObjectPage'
import { useActionsColumn } from './RowActions'
import { usePlace } from './use-place'

/** Functions and procedures of a schema. Functions that belong to an extension cannot be changed here. */
export function Functions() {
  const { schema } = usePlace()
  const list = useCatalog('functions', schema)
  const [open, setOpen] = useState<DatabaseFunction | 'new'>()
  const mayChange = useMay('developer')
  const review = useReviewSql()
  const change = useAction(
    async (one: DatabaseFunction) => review(replaceFunction(one, await getDefinition('functions', one.oid))),
    { failed: 'The definition could not be read.' },
  )
  const actions = useActionsColumn<DatabaseFunction>(nameOf, (one) =>
    one.extension === null
      ? [
          { name: 'Change', run: () => change.mutate(one) },
          { name: 'Drop', run: () => review(dropFunction(schema, one)) },
        ]
      : [],
  )
  return (
    <ObjectPage
      kind="functions"
      list={list}
      rowKey={({ oid }) => oid}
      words={({ name, returns, language }) => `${name} ${returns ?? ''} ${language}`}
      empty={<Empty title="This schema has no functions." />}
      add={{ label: 'New function', onClick: () => setOpen('new') }}
      columns={[
        {
          name: 'Function',
          className: 'min-w-40 break-words',
          cell: (one) =>
            mayChange ? <RowButton onClick={() => setOpen(one)}>{one.name}</RowButton> : <strong>{one.name}</strong>,
        },
        { name: 'Arguments', className: 'min-w-32', cell: (one) => <code>{unqualified(one.arguments, schema)}</code> },
        {
          name: 'Returns',
          cell: ({ returns }) => (returns === null ? 'procedure' : <code>{unqualified(returns, schema)}</code>),
        },
        { name: 'Language', cell: ({ language }) => language },
        { name: 'Volatility', cell: ({ volatility }) => volatility },
        {
          name: 'Runs as',
          cell: ({ definer, owner }) => (definer ? <Badge tone="heather">{owner} (security definer)</Badge> : 'caller'),
        },
        { name: 'Extension', cell: ({ extension }) => extension },
        ...actions,
      ]}
    >
      {open === 'new' && <NewFunction schema={schema} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== 'new' && (
        <Definition kind="functions" oid={open.oid} title={nameOf(open)} onClose={() => setOpen(undefined)} />
      )}
    </ObjectPage>
  )
}

const nameOf = ({ name, arguments: args }: DatabaseFunction) => `${name}(${args})`
