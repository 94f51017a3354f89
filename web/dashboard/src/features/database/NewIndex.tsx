import { useState } from 'react'
import { CheckField, SelectField, TextField } from '@/components/fields'
import { NameField } from '@/components/NameField'
import { useCatalog } from '@/lib/catalog'
import { createIndex, methods, type IndexDraft } from './index-sql'
import { SqlForm } from './SqlForm'

/** Form for a new index. The index has the columns in the order in which the user ticks them, followed by an optional expression. */
export function NewIndex({ schema, onClose }: { schema: string; onClose: () => void }) {
  const [initial] = useState<IndexDraft>({
    table: '',
    columns: [],
    expression: '',
    method: 'btree',
    unique: false,
    where: '',
    concurrently: true,
  })
  const [draft, setDraft] = useState(initial)
  const set = (part: Partial<IndexDraft>) => setDraft((before) => ({ ...before, ...part }))
  const tables = useCatalog('diagram', schema).data?.rows ?? []
  const table = tables.find(({ name }) => name === draft.table)
  const isWhole = table !== undefined && (draft.columns.length > 0 || draft.expression.trim() !== '')
  return (
    <SqlForm
      title="New index"
      change={isWhole ? createIndex(schema, draft) : undefined}
      missing="An index needs a table, and a column or an expression."
      isDirty={draft !== initial}
      onClose={onClose}
    >
      <NameField
        label="Table"
        names={tables.map(({ name }) => name)}
        value={draft.table}
        onChange={(name) => {
          const { partitioned = false } = tables.find((one) => one.name === name) ?? {}
          set({ table: name, columns: [], concurrently: !partitioned })
        }}
      />
      {table && (
        <fieldset className="grid gap-1">
          <legend className="text-small font-strong">Columns, in the order of the index</legend>
          <div className="flex flex-wrap gap-x-5">
            {table.columns.map(({ name }) => {
              const place = draft.columns.indexOf(name)
              return (
                <CheckField
                  key={name}
                  label={place < 0 || draft.columns.length < 2 ? name : `${name} (${place + 1})`}
                  checked={place >= 0}
                  onChange={(isChosen) =>
                    set({ columns: isChosen ? [...draft.columns, name] : draft.columns.filter((one) => one !== name) })
                  }
                />
              )
            })}
          </div>
        </fieldset>
      )}
      <TextField
        label="Expression (optional)"
        hint="SQL over the columns: lower(email)"
        value={draft.expression}
        onChange={(expression) => set({ expression })}
        controlClassName="font-mono"
        autoComplete="off"
        spellCheck={false}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Method" value={draft.method} onChange={(method) => set({ method: method as IndexDraft['method'] })}>
          {methods.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </SelectField>
        <TextField
          label="Only rows where (optional)"
          value={draft.where}
          onChange={(where) => set({ where })}
          controlClassName="font-mono"
          autoComplete="off"
          spellCheck={false}
        />
      </div>
      <CheckField label="Unique" checked={draft.unique} onChange={(unique) => set({ unique })} />
      <CheckField
        label="Concurrently"
        hint={
          table?.partitioned
            ? 'PostgreSQL does not build an index of a partitioned table concurrently.'
            : 'The table stays writable while the index is built. If the build fails, an index that is not valid remains: drop it.'
        }
        checked={draft.concurrently}
        disabled={table?.partitioned === true}
        onChange={(concurrently) => set({ concurrently })}
      />
    </SqlForm>
  )
}
