import { ChevronRight, RotateCcw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { AreaField, CheckField, SelectField, TextField } from '@/components/fields'
import type { Setting } from './contract'
import { IgnoredField } from './IgnoredField'
import { fault, inWords, isTicked, shownText, type Draft } from './draft'

interface FieldProps {
  setting: Setting
  draft: Draft
  onChange: (value: string | boolean | null) => void
  isDisabled: boolean
}

/** The field of a setting. Contains the control, the setting's key and file, and a button that restores the default. */
export function SettingField(props: FieldProps) {
  const { setting, draft, onChange, isDisabled } = props
  const isChanged = draft.has(setting.key)
  const mayReset = setting.is_set && setting.locked === null && !isDisabled && draft.get(setting.key) !== null
  return (
    <div
      className="grid gap-x-8 gap-y-1.5 border-b py-3 lg:grid-cols-[minmax(0,32rem)_minmax(0,1fr)]"
      data-setting={setting.key}
    >
      <Control {...props} />
      <div
        className={cn(
          'flex flex-wrap content-start items-center gap-x-3 gap-y-1 text-floor text-muted-foreground lg:justify-end lg:text-right',
          // The label of a checkbox is lower than that of a field.
          setting.kind.type === 'switch' && 'lg:pt-1.5',
        )}
      >
        {isChanged && <Badge tone="firth">not saved</Badge>}
        {setting.waits_for_restart && <Badge tone="heather">waits for a restart</Badge>}
        {!setting.is_live && !setting.waits_for_restart && <span>needs a restart</span>}
        <code className="break-all">{setting.key}</code>
        <span>{setting.is_set ? (setting.path ?? setting.file) : 'default'}</span>
        {mayReset && (
          <Button variant="ghost" size="compact" className="text-floor" onClick={() => onChange(null)}>
            <RotateCcw aria-hidden />
            {setting.kind.type === 'secret'
              ? 'Remove'
              : setting.kind.type === 'template'
                ? 'Default text'
                : `Default: ${inWords(setting.default)}`}
            <span className="sr-only"> for {setting.label}</span>
          </Button>
        )}
      </div>
    </div>
  )
}

function Control({ setting, draft, onChange, isDisabled }: FieldProps) {
  const { kind, label } = setting
  const hint = hintOf(setting)
  const disabled = isDisabled || setting.locked !== null
  if (kind.type === 'switch')
    return (
      <CheckField
        label={label}
        {...(hint === undefined ? {} : { hint })}
        checked={isTicked(setting, draft)}
        disabled={disabled}
        onChange={onChange}
      />
    )
  const field = { label, value: shownText(setting, draft), disabled, onChange, ...(hint === undefined ? {} : { hint }) }
  if (kind.type === 'choice')
    return (
      <SelectField {...field} controlClassName="max-w-80">
        {!kind.choices.includes(field.value) && <option value={field.value}>{field.value || 'none'}</option>}
        {kind.choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === '' ? 'none' : choice}
          </option>
        ))}
      </SelectField>
    )
  if (kind.type === 'list')
    return <AreaField {...field} rows={Math.min(8, Math.max(2, field.value.split('\n').length + 1))} spellCheck={false} />
  if (kind.type === 'lines')
    return <AreaField {...field} rows={rowsOf(field.value)} controlClassName="font-mono" spellCheck={false} />
  if (kind.type === 'template') return <TemplateText setting={setting} draft={draft} />
  if (kind.type === 'ignored') return <IgnoredField {...field} error={fault(setting, draft)} />
  if (kind.type === 'secret')
    return (
      <TextField
        {...field}
        type="password"
        autoComplete="new-password"
        placeholder={setting.has_secret && draft.get(setting.key) !== null ? 'set, not shown' : 'not set'}
      />
    )
  const isShort = kind.type === 'count' || kind.type === 'size' || kind.type === 'duration'
  return (
    <TextField
      {...field}
      error={fault(setting, draft)}
      spellCheck={false}
      autoComplete="off"
      inputMode={kind.type === 'count' ? 'numeric' : 'text'}
      placeholder={setting.default === null ? 'none' : ''}
      controlClassName={isShort ? 'max-w-40 tabular-nums' : ''}
    />
  )
}

/** Shows which text a mail has. The text is changed in the mail's editor, which has a preview. */
function TemplateText({ setting, draft }: { setting: Setting; draft: Draft }) {
  const text = shownText(setting, draft)
  const lines = text.trimEnd().split('\n').length
  return (
    <div>
      <p className="text-small font-strong">{setting.label}</p>
      <p className="text-floor text-muted-foreground">{hintOf(setting)}</p>
      <p>
        {text === '' ? 'Cloch’s own text' : lines === 1 ? 'One line' : `${lines} lines`}
        {text !== '' && setting.path != null && (
          <>
            {' '}
            in <code className="break-all">{setting.path}</code>
          </>
        )}
      </p>
    </div>
  )
}

const rowsOf = (text: string) => Math.min(18, Math.max(3, text.split('\n').length + 1))

function hintOf({ hint, locked, kind }: Setting): string | undefined {
  const forms: Record<string, string> = {
    list: 'One on each line.',
    size: 'Such as 50MiB.',
    duration: 'Such as 30s, 15m or 24h.',
    secret: 'It is stored in .env.local of the project and never shown.',
  }
  const text = [locked, hint, forms[kind.type]].filter(Boolean).join(' ')
  return text === '' ? undefined : text
}

/** The settings of one provider, one hook, one function or one mail. This part can be folded. */
export function Named({
  name,
  state,
  about,
  isOpen,
  children,
}: {
  name: string
  state: string | undefined
  /** A sentence that is shown while the part is folded. */
  about: string | undefined
  /** Whether the part is unfolded at first. */
  isOpen: boolean
  children: ReactNode
}) {
  // The initial value is stored in a state. Otherwise the part would be folded when its change is saved.
  const [isUnfolded, setUnfolded] = useState(isOpen)
  return (
    <details open={isUnfolded} onToggle={(event) => setUnfolded(event.currentTarget.open)} className="group border-b">
      <summary className="flex min-h-10 cursor-pointer items-center gap-2 font-strong pointer-coarse:min-h-11">
        <ChevronRight aria-hidden className="text-muted-foreground group-open:rotate-90" />
        <code className="text-base font-bold">{name}</code>
        {state !== undefined && <span className="text-small font-normal text-muted-foreground">{state}</span>}
        {about !== undefined && (
          <span className="min-w-0 py-1 text-small font-normal text-muted-foreground group-open:hidden">{about}</span>
        )}
      </summary>
      <div className="pb-4 pl-7">{children}</div>
    </details>
  )
}
