import { CircleAlert } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { get, useFormContext, type FieldErrors } from 'react-hook-form'
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

/** A wrong field has a thick red bar in the margin at its left, where it moves nothing. */
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

/** The message of a wrong field. Once the answer is corrected its place stays empty until the form is submitted again. */
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

/** @returns the message, or the last one since the form was submitted */
function useLastMessage(error: string | undefined): string | undefined {
  // There is no form around a field that stands by itself.
  const form = useFormContext() as ReturnType<typeof useFormContext> | null
  const submitCount = form?.formState.submitCount
  const [last, setLast] = useState({ message: error, submitCount })
  const isNew = last.submitCount !== submitCount || (error !== undefined && error !== last.message)
  if (isNew) setLast({ message: error, submitCount })
  return isNew ? error : last.message
}
