import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { get, type FieldErrors } from 'react-hook-form'
import { cn } from '@cloch/ui/lib/cn'

/** The id of the control that edits a field, by which labels and the error summary find it. */
export function fieldId(name: string): string {
  return `field-${name.replaceAll('.', '-')}`
}

/** The message beside a field, if it is wrong. */
export function errorMessage(errors: FieldErrors, name: string): string | undefined {
  const error: unknown = get(errors, name)
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined
  return typeof error.message === 'string' && error.message !== '' ? error.message : undefined
}

export interface FieldTexts {
  name: string
  label: ReactNode
  hint?: ReactNode
  /** Adds "(optional)" to the label; required fields are the rule and unmarked. */
  optional?: boolean | undefined
  className?: string | undefined
}

/** What a control must be given so that assistive technology reads its hint and its error. */
export interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface FieldProps extends FieldTexts {
  error: string | undefined
  children: (control: ControlProps) => ReactNode
}

/** Label, hint, error, control: in this order, so that the keyboard of a phone covers none of them. */
export function Field({ name, label, hint, optional, error, className, children }: FieldProps) {
  const id = fieldId(name)
  return (
    <div className={cn(fieldClass(error), className)}>
      <label htmlFor={id} className="font-strong">
        {label}
        {optional ? <Optional /> : null}
      </label>
      <FieldHint id={id} hint={hint} />
      <FieldError id={id} error={error} />
      {children({ id, 'aria-invalid': error !== undefined, 'aria-describedby': describedBy(id, hint, error) })}
    </div>
  )
}

/** A wrong field has a thick red bar at its left. */
export function fieldClass(error: string | undefined): string {
  return cn('grid content-start gap-1.5', error !== undefined && 'border-l-6 border-destructive pl-3.5')
}

export function describedBy(id: string, hint: ReactNode, error: string | undefined): string | undefined {
  const ids = [hint ? `${id}-hint` : '', error !== undefined ? `${id}-error` : ''].filter(Boolean)
  return ids.length > 0 ? ids.join(' ') : undefined
}

export function Optional() {
  return <span className="font-normal text-muted-foreground"> (optional)</span>
}

export function FieldHint({ id, hint }: { id: string; hint: ReactNode }) {
  if (!hint) return null
  return (
    <p id={`${id}-hint`} className="text-[0.9688rem] leading-snug text-muted-foreground">
      {hint}
    </p>
  )
}

export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (error === undefined) return null
  return (
    <p id={`${id}-error`} className="flex gap-2 text-base leading-snug font-strong text-destructive">
      <CircleAlert aria-hidden className="mt-0.5" />
      <span>
        <span className="sr-only">Error: </span>
        {error}
      </span>
    </p>
  )
}
