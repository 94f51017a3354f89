import { Search } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import type { As } from '@/lib/as'
import type { Reference } from '@/lib/schema'
import type { Value } from './edits'
import { ReferencePicker } from './ReferencePicker'

interface ChooseReferenceProps {
  column: string
  reference: Reference
  value: Value
  as: As | null
  onChange: (value: string) => void
}

/** The button beside the field of a foreign key. It lists the rows to which the value can refer. */
export function ChooseReference({ column, reference, value, as, onChange }: ChooseReferenceProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="outline" size="compact" aria-label={`Choose ${column}`} onClick={() => setOpen(true)}>
        <Search aria-hidden />
        Choose
      </Button>
      {isOpen && (
        <ReferencePicker
          column={column}
          reference={reference}
          value={typeof value === 'string' ? value : null}
          as={as}
          onTake={onChange}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
