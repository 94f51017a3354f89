import { Redo2, Save, Undo2 } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { Refused } from '@/components/states'
import { describeAs, type As } from '@/lib/as'
import type { Change } from './edits'
import { RowsSql } from './RowsSql'

interface UnsavedEditsProps {
  changes: readonly Change[]
  count: number
  as: As | null
  isSaving: boolean
  error: Error | null
  save: () => void
  show: () => void
  undo: () => void
  redo: () => void
  canRedo: boolean
}

/** Bar that shows the number of unsaved edits, with buttons to save and undo them. */
export function UnsavedEdits({ changes, count, as, isSaving, error, save, show, undo, redo, canRedo }: UnsavedEditsProps) {
  return (
    <div className="grid gap-2">
      <div
        role="status"
        className="flex flex-wrap items-center gap-2 rounded border-l-6 border-warning bg-warning-wash px-3 py-2"
      >
        <span>
          {count} {count === 1 ? 'change is' : 'changes are'} not saved.
        </span>
        <Button size="compact" disabled={isSaving} aria-busy={isSaving} onClick={save}>
          <Save aria-hidden />
          {as === null ? 'Save' : `Try as ${describeAs(as)}`}
        </Button>
        {as === null && (
          <Button variant="outline" size="compact" onClick={show}>
            Show the SQL
          </Button>
        )}
        <Button variant="outline" size="compact" onClick={undo}>
          <Undo2 aria-hidden />
          Undo
        </Button>
        {canRedo && (
          <Button variant="ghost" size="compact" onClick={redo}>
            <Redo2 aria-hidden />
            Redo
          </Button>
        )}
      </div>
      {error && <Refused error={error} />}
      <RowsSql changes={changes} />
    </div>
  )
}
