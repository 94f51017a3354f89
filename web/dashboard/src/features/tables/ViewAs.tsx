import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { AsPicker } from '@/components/AsPicker'
import { Dialog } from '@/components/Dialog'
import type { As } from '@/lib/as'

/** Dialog that chooses a caller, with whose rights the rows are read. Changes are also tried with the rights of this caller; they are not saved. */
export function ViewAs({ as, onChange, onClose }: { as: As | null; onChange: (as: As | null) => void; onClose: () => void }) {
  const [chosen, setChosen] = useState<As>(as ?? { role: 'anon' })
  const isReady = !('user' in chosen) || chosen.user !== ''
  const footer = (
    <>
      <Button
        size="compact"
        disabled={!isReady}
        onClick={() => {
          onChange('role' in chosen && chosen.role === 'postgres' ? null : chosen)
          onClose()
        }}
      >
        View
      </Button>
      {as !== null && (
        <Button
          variant="outline"
          size="compact"
          onClick={() => {
            onChange(null)
            onClose()
          }}
        >
          View everything
        </Button>
      )}
    </>
  )
  return (
    <Dialog
      title="View as somebody else"
      description="You see the rows that they would see. Changes are tried as them and taken back."
      onClose={onClose}
      footer={footer}
    >
      <AsPicker value={chosen} onChange={setChosen} />
    </Dialog>
  )
}
