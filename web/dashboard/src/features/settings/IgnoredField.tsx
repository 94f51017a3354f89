import { Trash2 } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { AreaField } from '@/components/fields'
import type { Ignore } from './contract'
import { ignoredOf, textOf } from './draft'

interface IgnoredFieldProps {
  label: string
  hint?: string
  error: string | undefined
  value: string
  disabled: boolean
  onChange: (value: string) => void
}

/** The advisor findings that the project ignores. Entries are changed and removed here; the page Advisors adds them. */
export function IgnoredField({ label, hint, error, value, disabled, onChange }: IgnoredFieldProps) {
  const entries = ignoredOf(value)
  const set = (index: number, change: Partial<Ignore>) =>
    onChange(textOf(entries.map((entry, at) => (at === index ? { ...entry, ...change } : entry))))
  return (
    <div className="grid gap-3">
      <div>
        <p className="text-small font-strong">{label}</p>
        {hint !== undefined && <p className="text-floor text-muted-foreground">{hint}</p>}
      </div>
      {error !== undefined && (
        <p role="alert" className="text-floor font-strong text-destructive">
          {error}
        </p>
      )}
      {entries.length === 0 && <p className="text-muted-foreground">No finding is ignored.</p>}
      {entries.map(({ lint, on, reason }, index) => (
        <fieldset key={`${index} ${lint}`} disabled={disabled} className="grid gap-2 border-l-3 border-input pl-4">
          <legend>
            <code className="font-bold break-all">{lint}</code>
          </legend>
          <AreaField
            label="Objects"
            hint={on.length === 0 ? 'None: all findings of the rule are ignored.' : 'schema.name, one on each line.'}
            value={on.join('\n')}
            rows={Math.min(8, on.length + 1)}
            spellCheck={false}
            onChange={(text) => set(index, { on: text === '' ? [] : text.split('\n') })}
          />
          <AreaField
            label="Reason"
            value={reason}
            rows={2}
            maxLength={1000}
            onChange={(text) => set(index, { reason: text })}
          />
          <div>
            <Button variant="outline" size="compact" onClick={() => onChange(textOf(entries.filter((_, at) => at !== index)))}>
              <Trash2 aria-hidden />
              Remove<span className="sr-only"> the entry of {lint}</span>
            </Button>
          </div>
        </fieldset>
      ))}
    </div>
  )
}
