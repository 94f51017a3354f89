import { useId, type ComponentProps, type ReactNode } from 'react'
import { cn } from '@cloch/ui/lib/cn'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { Radio } from '@cloch/ui/components/radio'

/** Style of all controls in the dashboard. They are lower than those of the club's site, but have the full height on touch screens. */
export const control = cn(
  'w-full min-h-9 rounded border-[1.5px] border-input bg-card px-2.5 py-1 text-foreground pointer-coarse:min-h-11 max-sm:text-base',
  'focus-visible:outline-offset-0 focus-visible:border-ring disabled:opacity-65 aria-invalid:border-2 aria-invalid:border-destructive',
)

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | undefined
  className?: string
  /** Whether the label is hidden, because its meaning is clear from the context, such as in a bar of filters. Screen readers still read it. */
  isLabelHidden?: boolean
}

interface Wiring {
  id: string
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
}

/** One control with its label, hint and error. The control comes last, so that the on-screen keyboard of a phone does not cover the texts. */
export function Field({
  label,
  hint,
  error,
  className,
  isLabelHidden = false,
  children,
}: FieldProps & { children: (wiring: Wiring) => ReactNode }) {
  const id = useId()
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter((part) => part !== false)
    .join(' ')
  return (
    <div className={cn('grid content-start gap-1', className)}>
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'text-small font-strong'}>
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-floor text-muted-foreground">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="text-floor font-strong text-destructive">
          {error}
        </p>
      )}
      {children({ id, 'aria-describedby': described || undefined, 'aria-invalid': error === undefined ? undefined : true })}
    </div>
  )
}

type Of<Tag extends 'input' | 'textarea' | 'select'> = Omit<ComponentProps<Tag>, 'value' | 'onChange' | 'className'> &
  FieldProps & { value: string; onChange: (value: string) => void; controlClassName?: string }

export function TextField({ label, hint, error, className, isLabelHidden, onChange, controlClassName, ...input }: Of<'input'>) {
  return (
    <Field {...present({ label, hint, error, className, isLabelHidden })}>
      {(wiring) => (
        <input
          {...wiring}
          className={cn(control, controlClassName)}
          onChange={(event) => onChange(event.target.value)}
          {...input}
        />
      )}
    </Field>
  )
}

export function AreaField({
  label,
  hint,
  error,
  className,
  isLabelHidden,
  onChange,
  controlClassName,
  ...area
}: Of<'textarea'>) {
  return (
    <Field {...present({ label, hint, error, className, isLabelHidden })}>
      {(wiring) => (
        <textarea
          {...wiring}
          rows={5}
          className={cn(control, 'resize-y py-2', controlClassName)}
          onChange={(event) => onChange(event.target.value)}
          {...area}
        />
      )}
    </Field>
  )
}

export function SelectField({
  label,
  hint,
  error,
  className,
  isLabelHidden,
  onChange,
  controlClassName,
  ...select
}: Of<'select'>) {
  return (
    <Field {...present({ label, hint, error, className, isLabelHidden })}>
      {(wiring) => (
        <select
          {...wiring}
          className={cn(control, controlClassName)}
          onChange={(event) => onChange(event.target.value)}
          {...select}
        />
      )}
    </Field>
  )
}

export function CheckField({ label, hint, checked, onChange, disabled = false }: CheckProps) {
  const id = useId()
  return (
    <div className="flex gap-2.5 py-1 pointer-coarse:py-0">
      <Checkbox
        id={id}
        className="pointer-coarse:my-2.5 pointer-coarse:size-6"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id} className="font-medium pointer-coarse:grid pointer-coarse:min-h-11 pointer-coarse:content-center">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-floor text-muted-foreground">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

interface RadioProps<Value extends string> {
  label: string
  value: Value
  /** The values that can be chosen, each with its words. */
  options: Readonly<Record<Value, string>>
  onChange: (value: Value) => void
}

/** A choice of a few values that are all in sight, so that one click is enough. */
export function RadioField<Value extends string>({ label, value, options, onChange }: RadioProps<Value>) {
  const name = useId()
  return (
    <fieldset className="grid gap-1">
      <legend className="text-small font-strong">{label}</legend>
      {(Object.entries(options) as [Value, string][]).map(([one, words]) => (
        <label key={one} className="flex items-start gap-2.5 py-1 pointer-coarse:min-h-11 pointer-coarse:items-center">
          <Radio
            name={name}
            value={one}
            checked={value === one}
            className="mt-0.5 pointer-coarse:mt-0 pointer-coarse:size-6"
            onChange={() => onChange(one)}
          />
          {words}
        </label>
      ))}
    </fieldset>
  )
}

interface CheckProps {
  label: ReactNode
  hint?: string
  checked: boolean
  onChange: (checked: boolean) => void
  disabled?: boolean
}

/** Removes properties that are undefined, because `exactOptionalPropertyTypes` does not accept them. */
function present(props: { [Key in keyof FieldProps]: FieldProps[Key] | undefined }): FieldProps {
  return Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)) as unknown as FieldProps
}
