import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { CheckField, TextField } from '@/components/fields'
import { FormButtons, useFormChange, WhatWillRun } from '@/components/FormChange'
import { useReviewSql } from '@/components/ReviewSql'
import type { TableColumn, TableDetail } from '@/lib/schema'
import { identifier, qualified } from '@/lib/sql-text'
import { columnSql, type ColumnForm } from './column-sql'
import { ReferenceField } from './ReferenceField'
import { TypeField } from './TypeField'

/** Form for a new or changed column. Its SQL is shown before it runs. */
export function ColumnPanel({
  table,
  column,
  onClose,
}: {
  table: TableDetail
  column: TableColumn | undefined
  onClose: () => void
}) {
  const [form, setForm] = useState<ColumnForm>({
    name: column?.name ?? '',
    type: column?.type ?? 'text',
    isRequired: column?.nullable === false,
    default: column?.default ?? '',
    comment: column?.comment ?? '',
    references: '',
    onDelete: 'no action',
  })
  const review = useReviewSql()
  const name = qualified(table.schema, table.name)
  const sql = columnSql(table, column, form)
  const file = (verb: string) => `${verb}_${table.name}_${form.name}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const isWhole = form.name.trim() !== '' && form.type.trim() !== '' && sql !== ''
  const change = {
    title: column ? `Change column ${column.name}` : `New column of ${table.name}`,
    sql,
    migration: file(column ? 'alter' : 'add'),
    done: column ? 'The column is changed' : 'The column is there',
    onDone: onClose,
  }
  const made = useFormChange(isWhole ? change : undefined)
  const drop = () =>
    review({
      title: `Drop column ${form.name}`,
      sql: `alter table ${name} drop column ${identifier(column?.name ?? '')};`,
      migration: file('drop'),
      done: 'The column is gone',
      onDone: onClose,
    })
  const reference = table.foreign_keys.find(({ columns }) => columns.length === 1 && columns[0] === column?.name)
  const set = (next: Partial<ColumnForm>) => setForm((before) => ({ ...before, ...next }))
  return (
    <Dialog
      title={column ? `Column ${column.name}` : `New column of ${table.name}`}
      place="side"
      onClose={onClose}
      isDirty={sql !== ''}
      footer={
        <>
          <FormButtons form={made} />
          {column && (
            <Button variant="outline" size="compact" onClick={drop}>
              <Trash2 aria-hidden />
              Drop the column
            </Button>
          )}
        </>
      }
    >
      <TextField
        label="Name"
        value={form.name}
        onChange={(next) => set({ name: next })}
        autoComplete="off"
        spellCheck={false}
      />
      <TypeField label="Type" value={form.type} onChange={(type) => set({ type })} />
      {reference ? (
        <p className="text-small">
          Refers to{' '}
          <code>
            {reference.schema}.{reference.table}
          </code>
          , by the foreign key <code>{reference.name}</code>.
        </p>
      ) : (
        <ReferenceField
          schema={table.schema}
          references={form.references}
          onDelete={form.onDelete}
          // For a new column, the type becomes that of the referenced key. The type of an existing column is not changed; PostgreSQL checks whether
          // the types match.
          onReferences={(references, type) => set({ references, ...(type === undefined || column ? {} : { type }) })}
          onDeleteChange={(onDelete) => set({ onDelete })}
        />
      )}
      <CheckField label="Required" checked={form.isRequired} onChange={(isRequired) => set({ isRequired })} />
      <TextField
        label="Default"
        hint="An SQL expression"
        value={form.default}
        onChange={(next) => set({ default: next })}
        controlClassName="font-mono"
        autoComplete="off"
        spellCheck={false}
      />
      <TextField label="Comment" value={form.comment} onChange={(comment) => set({ comment })} />
      <WhatWillRun form={made} />
    </Dialog>
  )
}
