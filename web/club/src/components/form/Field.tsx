import { CircleAlert } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { get, useFormContext, type FieldErrors } from 'react-hook-form'
import { cn } from '@cloch/ui/lib/cn'

/** The id of a field's control, by which labels and the error summary refer to it. */
export function fieldId(name: string): string {
  return `field-${name.replaceAll('.', '-')}`
}

/** Returns the message for a field with an error. */
export function errorMessage(errors: FieldErrors, name: string): string | undefined {
  const error: unknown = get(errors, name)
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined
  return typeof error.message === 'string' && error.message !== '' ? error.message : undefined
}

export interface FieldTexts {
  name: string
  label: ReactNode
  hint?: ReactNode
  /** Adds "(optional)" to the label. Required fields are not marked, because most fields are required. */
  optional?: boolean | undefined
  className?: string | undefined
}

/** Properties that connect a control with its hint and error for assistive technology. */
export interface ControlProps {
  id: string
  'aria-invalid': boolean
  'aria-describedby': string | undefined
}

interface FieldProps extends FieldTexts {
  error: string | undefined
  children: (control: ControlProps) => ReactNode
}

/** One control with label, hint and error. The control comes last, so that the on-screen keyboard of a phone does not cover the texts. */
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

/** Class of a field with an error: a thick red bar in the left margin, which does not move the content. */
export function fieldClass(error: string | undefined): string {
  return cn(
    'relative grid content-start gap-1.5',
    error !== undefined && 'before:absolute before:inset-y-0 before:-left-3.5 before:w-1.5 before:bg-destructive',
  )
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

/** The error message of a field. When the answer is corrected, the space of the message stays empty until the next submit. */
export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  const message = useLastMessage(error)
  if (message === undefined) return null
  return (
    <p
      id={`${id}-error`}
      className={cn('flex gap-2 text-base leading-snug font-strong text-destructive', error === undefined && 'invisible')}
    >
      <CircleAlert aria-hidden className="mt-0.5" />
      <span>
        <span className="sr-only">Error: </span>
        {message}
      </span>
    </p>
  )
}

/** @returns the current message, or, if the answer is corrected, the last message since the last submit */
function useLastMessage(error: string | undefined): string | undefined {
  // A field can also be used outside a form.
  const form = useFormContext() as ReturnType<typeof useFormContext> | null
  const submitCount = form?.formState.submitCount
  const [last, setLast] = useState({ message: error, submitCount })
  const isNew = last.submitCount !== submitCount || (error !== undefined && error !== last.message)
  if (isNew) setLast({ message: error, submitCount })
  return isNew ? error : last.message
}
