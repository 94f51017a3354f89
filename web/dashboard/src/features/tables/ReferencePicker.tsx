import { useEffect, useEffectEvent, useId, useRef, useState, type KeyboardEvent } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { Dialog } from '@/components/Dialog'
import { TextField } from '@/components/fields'
import { Failed } from '@/components/states'
import { describeAs, type As } from '@/lib/as'
import { useTable, type Reference } from '@/lib/schema'
import { mostCandidates, useCandidates, type Candidate } from './use-candidates'

interface ReferencePickerProps {
  /** The column with the foreign key. */
  column: string
  reference: Reference
  /** Current value of the column. */
  value: string | null
  as: As | null
  onTake: (key: string) => void
  onClose: () => void
}

/** Maximum number of characters shown of a value. */
const longest = 80

/**
 * List of the rows to which a foreign key can refer. Each row is described by some of its columns. The arrow keys move in the list, and Enter chooses
 * a row.
 */
export function ReferencePicker({ column, reference, value, as, onTake, onClose }: ReferencePickerProps) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  // True if the user pressed Enter before the rows for the current text had arrived. At that moment the list still shows the rows for an earlier
  // text.
  const [isWaiting, setWaiting] = useState(false)
  const id = useId()
  const table = useTable(reference.schema, reference.table)
  const { telling, candidates, isPending, error, refetch } = useCandidates(table.data, reference, text, as)
  const chosen = Math.min(at, candidates.length - 1)
  const take = (candidate: Candidate | undefined) => {
    if (!candidate) return
    onClose()
    onTake(candidate.key)
  }
  const takeChosen = useEffectEvent(() => take(candidates[chosen]))
  useEffect(() => {
    if (isWaiting && !isPending) takeChosen()
  }, [isWaiting, isPending])
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && candidates.length > 0) setAt((chosen + step + candidates.length) % candidates.length)
    else if (event.key === 'Enter' && isPending) setWaiting(true)
    else if (event.key === 'Enter') take(candidates[chosen])
    else return
    event.preventDefault()
  }
  const failure = table.error ?? error
  const columns = [reference.referenced[0] ?? '', ...telling.map(({ name }) => name)]
  return (
    <Dialog
      title={`Choose ${column}`}
      description={`A row of ${reference.table}${as === null ? '' : `, as ${describeAs(as)} sees them`}`}
      onClose={onClose}
    >
      <TextField
        label={`Find in ${reference.table}`}
        hint={`By the key, or a part of a text. Shown: ${columns.join(', ')}.`}
        role="combobox"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={candidates.length > 0 ? `${id}-${chosen}` : undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(next) => {
          setText(next)
          setAt(0)
          setWaiting(false)
        }}
        onKeyDown={press}
      />
      <ul
        role="listbox"
        id={`${id}-list`}
        aria-label={`Rows of ${reference.table}`}
        aria-busy={isPending}
        className="-mx-2 min-h-40"
      >
        {candidates.map((candidate, index) => (
          <Option
            key={candidate.key}
            id={`${id}-${index}`}
            candidate={candidate}
            isChosen={index === chosen}
            isNow={candidate.key === value}
            onTake={() => take(candidate)}
          />
        ))}
      </ul>
      {failure && <Failed error={failure} onRetry={refetch} />}
      <p role="status" className="text-small text-muted-foreground">
        {!failure && said(candidates.length, isPending)}
      </p>
    </Dialog>
  )
}

function said(found: number, isPending: boolean): string {
  if (isPending) return 'Reading the rows…'
  if (found === 0) return 'No row is found, or none can be seen.'
  return found < mostCandidates ? '' : `The first ${mostCandidates} rows are shown. Find others by a text.`
}

interface OptionProps {
  id: string
  candidate: Candidate
  isChosen: boolean
  /** Whether the foreign key refers to this row at the moment. */
  isNow: boolean
  onTake: () => void
}

function Option({ id, candidate: { key, texts }, isChosen, isNow, onTake }: OptionProps) {
  const option = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    <li
      ref={option}
      id={id}
      role="option"
      aria-selected={isChosen}
      className={cn(
        'flex min-h-9 cursor-pointer flex-wrap items-baseline gap-x-3 rounded border-l-6 border-transparent px-2 py-1.5 hover:bg-accent pointer-coarse:min-h-11',
        isChosen && 'border-foreground bg-secondary',
      )}
      onClick={onTake}
    >
      <span className="font-strong break-all tabular-nums">{key}</span>
      {texts.map((text, index) => (
        <span
          key={index}
          className={cn('min-w-0 break-words [unicode-bidi:plaintext]', text === null && 'text-muted-foreground')}
        >
          {text === null ? 'null' : text.length > longest ? `${text.slice(0, longest)}…` : text}
        </span>
      ))}
      {isNow && <span className="ml-auto text-floor text-muted-foreground">now</span>}
    </li>
  )
}
