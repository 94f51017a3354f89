import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { useReviewSql } from '@/components/ReviewSql'
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
  const review = useReviewSql()
  const next = name.trim()
  const show = () =>
    review({
      ...renameTable(table, next),
      onDone: () => {
        onClose()
        onDone(next)
      },
    })
  return (
    <Dialog
      title={`Rename ${table.name}`}
      description="Policies, indexes and views follow. Code that uses the old name does not."
      onClose={onClose}
      isDirty={name !== table.name}
      className="sm:w-[min(30rem,calc(100vw-2rem))]"
      footer={
        <Button size="compact" disabled={next === '' || next === table.name} onClick={show}>
          Show the SQL
        </Button>
      }
    >
      <TextField label="New name" value={name} onChange={setName} autoComplete="off" spellCheck={false} />
    </Dialog>
  )
}
