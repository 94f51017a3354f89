import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { CheckField, TextField } from '@/components/fields'
import { useReviewSql } from '@/components/ReviewSql'
import type { TableColumn, TableDetail } from '@/lib/schema'
import { identifier, literal, qualified } from '@/lib/sql-text'

interface Form {
  name: string
  type: string
  isRequired: boolean
  default: string
  comment: string
}

/** The statements that make a column what the form says; none where it is so already. */
export function columnSql(table: string, before: TableColumn | undefined, form: Form): string {
  const column = identifier(form.name.trim())
  const value = form.default.trim()
  const comment = `comment on column ${table}.${column} is ${form.comment === '' ? 'null' : literal(form.comment)};`
  if (!before) {
    const parts = [
      `alter table ${table} add column ${column} ${form.type.trim()}`,
      form.isRequired && 'not null',
      value !== '' && `default ${value}`,
    ]
    return [`${parts.filter((part) => part !== false).join(' ')};`, form.comment !== '' && comment]
      .filter((part) => part !== false)
      .join('\n')
  }
  const alter = (action: string) => `alter table ${table} alter column ${column} ${action};`
  return [
    form.name.trim() !== before.name && `alter table ${table} rename column ${identifier(before.name)} to ${column};`,
    form.type.trim() !== before.type && alter(`type ${form.type.trim()} using ${column}::${form.type.trim()}`),
    form.isRequired === before.nullable && alter(form.isRequired ? 'set not null' : 'drop not null'),
    value !== (before.default ?? '') && alter(value === '' ? 'drop default' : `set default ${value}`),
    form.comment !== (before.comment ?? '') && comment,
  ]
    .filter((part) => part !== false)
    .join('\n')
}

/** A new column, or changes of one, as SQL that is shown before it runs. */
export function ColumnPanel({
  table,
  column,
  onClose,
}: {
  table: TableDetail
  column: TableColumn | undefined
  onClose: () => void
}) {
  const [form, setForm] = useState<Form>({
    name: column?.name ?? '',
    type: column?.type ?? 'text',
    isRequired: column?.nullable === false,
    default: column?.default ?? '',
    comment: column?.comment ?? '',
  })
  const review = useReviewSql()
  const name = qualified(table.schema, table.name)
  const sql = columnSql(name, column, form)
  const file = (verb: string) => `${verb}_${table.name}_${form.name}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
  const show = () =>
    review({
      title: column ? `Change column ${column.name}` : `New column of ${table.name}`,
      sql,
      migration: file(column ? 'alter' : 'add'),
      done: column ? 'The column is changed' : 'The column is there',
      onDone: onClose,
    })
  const drop = () =>
    review({
      title: `Drop column ${form.name}`,
      sql: `alter table ${name} drop column ${identifier(column?.name ?? '')};`,
      migration: file('drop'),
      done: 'The column is gone',
      onDone: onClose,
    })
  const set = (next: Partial<Form>) => setForm((before) => ({ ...before, ...next }))
  return (
    <Dialog
      title={column ? `Column ${column.name}` : `New column of ${table.name}`}
      place="side"
      onClose={onClose}
      isDirty={sql !== ''}
      footer={
        <>
          <Button size="compact" disabled={form.name.trim() === '' || form.type.trim() === '' || sql === ''} onClick={show}>
            Show the SQL
          </Button>
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
      <TextField
        label="Type"
        hint="As PostgreSQL writes it: text, numeric(10,2), uuid[]"
        value={form.type}
        onChange={(type) => set({ type })}
        controlClassName="font-mono"
        autoComplete="off"
        spellCheck={false}
      />
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
    </Dialog>
  )
}
