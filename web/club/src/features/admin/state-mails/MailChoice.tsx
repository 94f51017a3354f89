import { Checkbox } from '@cloch/ui/components/checkbox'
import { placeOf, placeWords } from '../shared/place'
import type { MailedEntry } from './states'

interface MailChoiceProps {
  entries: readonly MailedEntry[]
  /** Ids of entries that already got this mail. */
  sent: ReadonlySet<string>
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

/** List in which the user selects the entries that get a mail. Entries that already got this mail cannot be selected. */
export function MailChoice({ entries, sent, chosen, onChoose }: MailChoiceProps) {
  const open = entries.filter(({ id }) => !sent.has(id))
  const toggle = (id: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    onChoose(next)
  }
  return (
    <fieldset className="grid gap-1">
      <legend className="font-strong">Entries</legend>
      <label className="flex min-h-11 items-center gap-3 border-b">
        <Checkbox
          checked={open.length > 0 && open.every(({ id }) => chosen.has(id))}
          disabled={open.length === 0}
          onChange={(event) => onChoose(new Set(event.target.checked ? open.map(({ id }) => id) : []))}
        />
        All that do not have it yet ({open.length})
      </label>
      <div tabIndex={0} role="group" aria-label="Entries" className="max-h-60 overflow-y-auto">
        {entries.map((entry) => (
          <label key={entry.id} className="flex min-h-11 items-center gap-3 [overflow-wrap:anywhere]">
            <Checkbox
              checked={chosen.has(entry.id)}
              disabled={sent.has(entry.id)}
              onChange={(event) => toggle(entry.id, event.target.checked)}
            />
            <span>
              {entry.name}
              <span className="text-muted-foreground">{factsOf(entry, sent)}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function factsOf(entry: MailedEntry, sent: ReadonlySet<string>): string {
  const place = placeOf(entry)
  const facts = [
    place === undefined ? '' : placeWords(place),
    entry.school?.name ?? '',
    sent.has(entry.id) ? 'has it already' : '',
  ]
  return facts
    .filter(Boolean)
    .map((fact) => `, ${fact}`)
    .join('')
}
