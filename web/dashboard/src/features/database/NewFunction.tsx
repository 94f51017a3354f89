import { useState } from 'react'
import { AreaField, CheckField, SelectField, TextField } from '@/components/fields'
import { createFunction, emptyFunction, type FunctionDraft } from './function-sql'
import { SqlForm } from './SqlForm'

/** Form for a new function. At first, its fields describe a trigger function. PostgreSQL checks the arguments and the body, which are SQL. */
export function NewFunction({ schema, onClose }: { schema: string; onClose: () => void }) {
  const [draft, setDraft] = useState(emptyFunction)
  const set = (part: Partial<FunctionDraft>) => setDraft((before) => ({ ...before, ...part }))
  const isWhole = [draft.name, draft.returns, draft.body].every((text) => text.trim() !== '')
  return (
    <SqlForm
      title={`New function in ${schema}`}
      change={isWhole ? createFunction(schema, draft) : undefined}
      missing="A function needs a name, a result and a body."
      isDirty={draft !== emptyFunction}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={draft.name}
        onChange={(name) => set({ name })}
        maxLength={63}
        autoComplete="off"
        spellCheck={false}
      />
      <TextField
        label="Arguments (optional)"
        hint="As SQL: a integer, b text default 'x'"
        value={draft.arguments}
        onChange={(args) => set({ arguments: args })}
        controlClassName="font-mono"
        autoComplete="off"
        spellCheck={false}
      />
      <TextField
        label="Returns"
        hint="trigger, a type, setof a table, or table (a integer, b text)"
        value={draft.returns}
        onChange={(returns) => set({ returns })}
        controlClassName="font-mono"
        autoComplete="off"
        spellCheck={false}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Language"
          value={draft.language}
          onChange={(language) => set({ language: language as FunctionDraft['language'] })}
        >
          <option>plpgsql</option>
          <option>sql</option>
        </SelectField>
        <SelectField
          label="Volatility"
          value={draft.volatility}
          onChange={(volatility) => set({ volatility: volatility as FunctionDraft['volatility'] })}
        >
          <option value="volatile">volatile: changes data, or its result varies</option>
          <option value="stable">stable: reads data only</option>
          <option value="immutable">immutable: depends on its arguments only</option>
        </SelectField>
      </div>
      <CheckField
        label="Security definer"
        hint="It runs with the rights of its owner. Names in its body then need their schema."
        checked={draft.definer}
        onChange={(definer) => set({ definer })}
      />
      <AreaField
        label="Body"
        value={draft.body}
        onChange={(body) => set({ body })}
        rows={8}
        controlClassName="font-mono whitespace-pre"
        spellCheck={false}
      />
    </SqlForm>
  )
}
