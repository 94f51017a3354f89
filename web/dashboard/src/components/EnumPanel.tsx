import { useState } from 'react'
import { enumSql } from '@/lib/enum-sql'
import { Dialog } from './Dialog'
import { SelectField, TextField } from './fields'
import { FormButtons, useFormChange, WhatWillRun } from './FormChange'

interface EnumPanelProps {
  type: { schema: string; name: string }
  values: readonly string[]
  onClose: () => void
}

/** The values of an enum. The user can rename them and insert a new one at any position. The SQL is shown before it runs. */
export function EnumPanel({ type, values, onClose }: EnumPanelProps) {
  const [names, setNames] = useState<readonly string[]>(values)
  const [added, setAdded] = useState('')
  const [before, setBefore] = useState('')
  const sql = enumSql(type, values, names, added.trim(), before)
  const isTwice =
    new Set([...names, ...(added.trim() === '' ? [] : [added.trim()])]).size < names.length + (added.trim() === '' ? 0 : 1)
  const isReady = sql !== '' && !isTwice && names.every((name) => name !== '')
  const change = {
    title: `Change the values of ${type.name}`,
    sql,
    migration: `alter_${type.name}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'),
    done: 'The values are changed',
    onDone: onClose,
  }
  const form = useFormChange(isReady ? change : undefined)
  return (
    <Dialog
      title={`Values of ${type.name}`}
      description="Every column of this type has them. PostgreSQL keeps their order, and removes none: for that, make a new type and move the columns to it."
      place="side"
      onClose={onClose}
      isDirty={sql !== ''}
      footer={
        <>
          <FormButtons form={form} />
          {isTwice && <span className="text-floor text-destructive">A value is there twice.</span>}
        </>
      }
    >
      {values.map((value, index) => (
        <TextField
          key={value}
          label={`Value ${index + 1}`}
          value={names[index] ?? ''}
          onChange={(next) => setNames(names.map((name, at) => (at === index ? next : name)))}
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
        />
      ))}
      <div className="grid gap-3 border-t pt-4 sm:grid-cols-2">
        <TextField
          label="New value (optional)"
          value={added}
          onChange={setAdded}
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
        />
        <SelectField label="Its place" value={before} onChange={setBefore}>
          <option value="">At the end</option>
          {values.map((value) => (
            <option key={value} value={value}>
              Before {value}
            </option>
          ))}
        </SelectField>
      </div>
      <WhatWillRun form={form} />
    </Dialog>
  )
}
