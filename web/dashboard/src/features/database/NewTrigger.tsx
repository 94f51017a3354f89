import { useState } from 'react'
import { AreaField, CheckField, SelectField, TextField } from '@/components/fields'
import { NameField } from '@/components/NameField'
import { SchemaField } from '@/components/SchemaField'
import { useCatalog } from '@/lib/catalog'
import { SqlForm } from './SqlForm'
import { createTrigger, defaultName, triggerEvents, type TriggerDraft } from './trigger-sql'

type Form = Omit<TriggerDraft, 'function'> & { functionSchema: string; functionName: string }

/** Form for a new trigger. It offers the functions that return `trigger`. */
export function NewTrigger({ schema, onClose }: { schema: string; onClose: () => void }) {
  const [initial] = useState<Form>({
    name: '',
    table: '',
    timing: 'before',
    events: ['update'],
    eachRow: true,
    functionSchema: schema,
    functionName: '',
    condition: '',
  })
  const [form, setForm] = useState(initial)
  // Until the user writes a name, it is that of the table.
  const [isNamed, setNamed] = useState(false)
  const set = (part: Partial<Form>) => setForm((before) => ({ ...before, ...part }))
  const tables = useCatalog('diagram', schema).data?.rows ?? []
  const functions = useCatalog('functions', form.functionSchema)
  const names = (functions.data?.rows ?? []).filter(({ returns }) => returns === 'trigger').map(({ name }) => name)
  const { functionSchema, functionName, ...draft } = form
  const isWhole =
    draft.name.trim() !== '' &&
    tables.some(({ name }) => name === draft.table) &&
    names.includes(functionName) &&
    draft.events.length > 0
  return (
    <SqlForm
      title="New trigger"
      change={isWhole ? createTrigger(schema, { ...draft, function: [functionSchema, functionName] }) : undefined}
      missing="A trigger needs a name, a table, an event and a function."
      isDirty={form !== initial}
      onClose={onClose}
    >
      <NameField
        label="Table"
        names={tables.map(({ name }) => name)}
        value={form.table}
        onChange={(table) => set({ table, ...(isNamed ? {} : { name: defaultName(table, 'trigger') }) })}
      />
      <TextField
        label="Name"
        value={form.name}
        onChange={(name) => {
          setNamed(true)
          set({ name })
        }}
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label="Time" value={form.timing} onChange={(timing) => set({ timing: timing as Form['timing'] })}>
          <option value="before">before the change</option>
          <option value="after">after the change</option>
        </SelectField>
        <SelectField
          label="For each"
          value={form.eachRow ? 'row' : 'statement'}
          onChange={(each) => set({ eachRow: each === 'row' })}
        >
          <option>row</option>
          <option>statement</option>
        </SelectField>
      </div>
      <fieldset className="grid gap-1">
        <legend className="text-small font-strong">Events</legend>
        <div className="flex flex-wrap gap-x-5">
          {triggerEvents.map((event) => (
            <CheckField
              key={event}
              label={event}
              checked={form.events.includes(event)}
              onChange={(isChosen) =>
                set({ events: triggerEvents.filter((one) => (one === event ? isChosen : form.events.includes(one))) })
              }
            />
          ))}
        </div>
      </fieldset>
      <div className="grid gap-4 sm:grid-cols-2">
        <SchemaField
          label="Schema of the function"
          value={functionSchema}
          onChange={(next) => set({ functionSchema: next, functionName: '' })}
        />
        <NameField
          label="Function"
          names={names}
          value={functionName}
          onChange={(next) => set({ functionName: next })}
          {...(functions.data ? { none: 'None returns trigger' } : {})}
        />
      </div>
      <AreaField
        label="Condition (optional)"
        hint="SQL over new and old: old.* is distinct from new.*"
        value={form.condition}
        onChange={(condition) => set({ condition })}
        rows={2}
        controlClassName="font-mono"
        spellCheck={false}
      />
    </SqlForm>
  )
}
