import { useState } from 'react'
import { EnumPanel } from '@/components/EnumPanel'
import { AreaField, TextField } from '@/components/fields'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { useCatalog, type EnumType } from '@/lib/catalog'
import { createEnum, dropEnum, valuesOf } from './enum-type-sql'
import { ObjectPage } from './ObjectPage'
import { useActionsColumn } from './RowActions'
import { SqlForm } from './SqlForm'
import { usePlace } from './use-place'

/** Maximum number of columns listed for an enum. */
const mostColumns = 5

export function Enums() {
  const { schema } = usePlace()
  const list = useCatalog('enums', schema)
  const [open, setOpen] = useState<EnumType | 'new'>()
  const review = useReviewSql()
  const actions = useActionsColumn<EnumType>(
    ({ name }) => name,
    (one) => [
      { name: 'Change', run: () => setOpen(one) },
      { name: 'Drop', run: () => review(dropEnum(schema, one.name)) },
    ],
  )
  return (
    <ObjectPage
      kind="enums"
      list={list}
      rowKey={({ name }) => name}
      words={({ name, values }) => [name, ...values].join(' ')}
      empty={<Empty title="This schema has no enums." />}
      add={{ label: 'New enum', onClick: () => setOpen('new') }}
      columns={[
        { name: 'Enum', className: 'min-w-28 break-words font-strong', cell: ({ name }) => name },
        { name: 'Values', className: 'min-w-48', cell: ({ values }) => values.join(', ') },
        { name: 'Columns', className: 'min-w-40 break-words', cell: ({ columns }) => describeColumns(columns, schema) },
        ...actions,
      ]}
    >
      {open === 'new' && <NewEnum schema={schema} onClose={() => setOpen(undefined)} />}
      {open !== undefined && open !== 'new' && (
        <EnumPanel type={{ schema, name: open.name }} values={open.values} onClose={() => setOpen(undefined)} />
      )}
    </ObjectPage>
  )
}

function describeColumns(columns: readonly string[], schema: string): string {
  const names = columns.map((name) => (name.startsWith(`${schema}.`) ? name.slice(schema.length + 1) : name))
  const rest = names.length - mostColumns
  return names.slice(0, mostColumns).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

function NewEnum({ schema, onClose }: { schema: string; onClose: () => void }) {
  const [name, setName] = useState('')
  const [lines, setLines] = useState('')
  const values = valuesOf(lines)
  const isWhole = name.trim() !== '' && values.length > 0
  return (
    <SqlForm
      title={`New enum in ${schema}`}
      description="PostgreSQL keeps the order of the values, and cannot remove a value later."
      change={isWhole ? createEnum(schema, name.trim(), values) : undefined}
      missing="An enum needs a name and a value."
      isDirty={name !== '' || lines !== ''}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={63} autoComplete="off" spellCheck={false} />
      <AreaField label="Values" hint="One on each line" value={lines} onChange={setLines} spellCheck={false} />
    </SqlForm>
  )
}
