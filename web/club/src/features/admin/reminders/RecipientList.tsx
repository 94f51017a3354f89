import { Checkbox } from '@cloch/ui/components/checkbox'
import { formatMoment } from '@/lib/dates'
import type { Recipient } from './reminders'

interface RecipientListProps {
  recipients: readonly Recipient[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

/** The addresses of a group. Those to which no mail can be sent cannot be selected. */
export function RecipientList({ recipients, chosen, onChoose }: RecipientListProps) {
  const open = recipients.filter(({ can_be_mailed }) => can_be_mailed)
  const toggle = (recipient: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(recipient)
    else next.delete(recipient)
    onChoose(next)
  }
  return (
    <fieldset className="grid gap-1">
      <legend className="font-strong">Recipients</legend>
      <label className="flex min-h-11 items-center gap-3 border-b">
        <Checkbox
          checked={open.length > 0 && open.every(({ recipient }) => chosen.has(recipient))}
          disabled={open.length === 0}
          onChange={(event) => onChoose(new Set(event.target.checked ? open.map(({ recipient }) => recipient) : []))}
        />
        All ({open.length})
      </label>
      <div tabIndex={0} role="group" aria-label="Recipients" className="max-h-60 overflow-y-auto">
        {recipients.map((each) => (
          <label key={each.recipient} className="flex min-h-11 items-start gap-3 py-2 [overflow-wrap:anywhere]">
            <Checkbox
              className="mt-0.5"
              checked={chosen.has(each.recipient)}
              disabled={!each.can_be_mailed}
              onChange={(event) => toggle(each.recipient, event.target.checked)}
            />
            <span className="grid">
              <span>
                {each.name}, {each.address}
              </span>
              <span className="text-small whitespace-pre-line text-muted-foreground">{each.detail}</span>
              {each.can_be_mailed ? null : (
                <span className="text-small">No mail can be sent to this address. Correct it first.</span>
              )}
              {each.reminded_at === null ? null : (
                <span className="text-small">Last reminded on {formatMoment(each.reminded_at)}</span>
              )}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
