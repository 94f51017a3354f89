import { Pencil, Trash2 } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'

interface RowActionsProps {
  /** Name of the record, for the labels of the buttons. */
  name: string
  onEdit: () => void
  onDelete: () => void
}

export function RowActions({ name, onEdit, onDelete }: RowActionsProps) {
  return (
    <div className="flex gap-1 no-print">
      <Button size="icon" variant="ghost" aria-label={`Edit ${name}`} onClick={onEdit}>
        <Pencil aria-hidden />
      </Button>
      <Button size="icon" variant="ghost" aria-label={`Delete ${name}`} onClick={onDelete}>
        <Trash2 aria-hidden />
      </Button>
    </div>
  )
}
