import { Check, CircleAlert, CircleCheck } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useFormState, type FieldErrors } from 'react-hook-form'
import { isUnnamed } from '@/lib/forms/rules'
import { cn } from '@cloch/ui/lib/cn'
import { errorMessage, fieldId } from './Field'

const numbers = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten']

interface Wrong {
  name: string
  message: string
}

/** The fields with errors, in the order in which the page shows them. */
export function wrongFields(errors: FieldErrors, order: readonly string[]): Wrong[] {
  return order.flatMap((name) => {
    const message = errorMessage(errors, name) ?? errorMessage(errors, `root.${name}`)
    return message === undefined ? [] : [{ name, message }]
  })
}

interface ErrorSummaryProps {
  /** Names of all fields in the order of the page. */
  order: readonly string[]
}

/**
 * Shown after a submit with errors: a box that gets the focus and has a link to each wrong answer. When an answer is corrected, its line stays in the
 * box, with a tick, until the next submit, so that the content below does not move.
 */
export function ErrorSummary({ order }: ErrorSummaryProps) {
  const { errors, submitCount } = useFormState()
  const box = useRef<HTMLDivElement>(null)
  const wrong = wrongFields(errors, order)
  const refused = useRefused(wrong, submitCount)

  useEffect(() => {
    if (submitCount > 0) box.current?.focus()
  }, [submitCount])

  if (submitCount === 0 || refused.length === 0) return null
  const lines = order.flatMap((name) => {
    const now = wrong.find((field) => field.name === name)
    const line = now ?? refused.find((field) => field.name === name)
    return line ? [{ ...line, isCorrected: now === undefined }] : []
  })
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="group"
      aria-labelledby="error-summary-title"
      className={cn(
        'scroll-mt-6 rounded border-3 px-5 pt-4 pb-5',
        wrong.length > 0 ? 'border-destructive bg-destructive-wash' : 'border-success',
      )}
    >
      <Heading wrong={wrong.length} refused={refused.length} />
      <ul className="mt-2.5">
        {lines.map((line) => (
          <SummaryLine key={line.name} {...line} />
        ))}
      </ul>
    </div>
  )
}

/** @returns the errors of the last submit */
function useRefused(wrong: Wrong[], submitCount: number): Wrong[] {
  const [refused, setRefused] = useState({ wrong, submitCount })
  if (refused.submitCount === submitCount) return refused.wrong
  setRefused({ wrong, submitCount })
  return wrong
}

/**
 * The current number of errors. The heading is at least as high as it was at the last submit: its text may become shorter, and the content below must
 * not move.
 */
function Heading({ wrong, refused }: { wrong: number; refused: number }) {
  return (
    <h2 id="error-summary-title" className="flex items-center gap-2.5 text-[1.3125rem]">
      {wrong > 0 ? (
        <CircleAlert aria-hidden className="text-destructive" />
      ) : (
        <CircleCheck aria-hidden className="text-success" />
      )}
      <span className="grid *:[grid-area:1/1]">
        <span aria-hidden className="invisible">
          {heading(refused)}
        </span>
        <span>{heading(wrong)}</span>
      </span>
    </h2>
  )
}

function SummaryLine({ name, message, isCorrected }: Wrong & { isCorrected: boolean }) {
  return (
    // The tick has a column of its own, so that a corrected line does not become longer and move the content below it.
    <li className="grid grid-cols-[auto_1.25rem] items-start justify-start gap-2">
      <a
        href={`#${fieldId(name)}`}
        onClick={(event) => {
          event.preventDefault()
          focusField(name)
        }}
        className={cn(
          'inline-block py-1.5 font-strong decoration-2',
          isCorrected ? 'text-muted-foreground line-through' : 'text-foreground decoration-destructive',
        )}
      >
        {isCorrected ? <span className="sr-only">Corrected: </span> : null}
        {named(name, message)}
      </a>
      <Check aria-hidden className={cn('mt-2.5', isCorrected ? 'text-success' : 'invisible')} />
    </li>
  )
}

function heading(count: number): string {
  if (count === 0) return 'Every answer is corrected'
  if (count === 1) return 'One answer needs another look'
  return `${numbers[count] ?? count} answers need another look`
}

/** Adds the field's label to a message that several fields can have. */
function named(name: string, message: string): string {
  if (!isUnnamed(message)) return message
  const control = document.getElementById(fieldId(name))
  const isText = control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
  const label = isText ? control.labels?.[0]?.textContent : undefined
  return label ? `${message}: ${label}` : message
}

/** Scrolls a field into view and focuses it. */
export function focusField(name: string) {
  const control = document.getElementById(fieldId(name))
  control?.focus({ preventScroll: true })
  control?.closest('div')?.scrollIntoView({ block: 'center' })
}
