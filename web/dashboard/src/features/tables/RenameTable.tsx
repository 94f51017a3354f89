import { useState } from 'react'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { FormButtons, useFormChange, WhatWillRun } from '@/components/FormChange'
import { renameTable, type Relation } from './table-sql'

interface RenameTableProps {
  table: Relation
  onClose: () => void
  /** @param name the new name */
  onDone: (name: string) => void
}

/** Form that renames a table. Its SQL is shown before it runs. */
export function RenameTable({ table, onClose, onDone }: RenameTableProps) {
  const [name, setName] = useState(table.name)
  const next = name.trim()
  const done = () => {
    onClose()
    onDone(next)
  }
  const form = useFormChange(next === '' || next === table.name ? undefined : { ...renameTable(table, next), onDone: done })
  return (
    <Dialog
      title={`Rename ${table.name}`}
      description="Policies, indexes and views follow. Code that uses the old name does not."
      onClose={onClose}
      isDirty={name !== table.name}
      className="sm:w-[min(30rem,calc(100vw-2rem))]"
      footer={<FormButtons form={form} />}
    >
      <TextField label="New name" value={name} onChange={setName} autoComplete="off" spellCheck={false} />
      <WhatWillRun form={form} />
    </Dialog>
  )
}
