import { CircleAlert } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useFormState, type FieldErrors } from 'react-hook-form'
import { badEmail } from '@/lib/forms/rules'
import { errorMessage, fieldId } from './Field'

const numbers = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten']

interface Wrong {
  name: string
  message: string
}

/** The wrong fields among `order`, in that order: the order of the page. */
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

/** After a refused submit: a box that takes the focus and links to every answer that is wrong. */
export function ErrorSummary({ order }: ErrorSummaryProps) {
  const { errors, submitCount } = useFormState()
  const box = useRef<HTMLDivElement>(null)
  const wrong = wrongFields(errors, order)
  const shown = submitCount > 0 && wrong.length > 0

  useEffect(() => {
    if (submitCount > 0) box.current?.focus()
  }, [submitCount])

  if (!shown) return null
  return (
    <div
      ref={box}
      tabIndex={-1}
      role="group"
      aria-labelledby="error-summary-title"
      className="scroll-mt-6 rounded border-3 border-destructive bg-destructive-wash px-5 pt-4 pb-5"
    >
      <h2 id="error-summary-title" className="flex items-center gap-2.5 text-[1.3125rem]">
        <CircleAlert aria-hidden className="text-destructive" />
        {heading(wrong.length)}
      </h2>
      <ul className="mt-2.5">
        {wrong.map(({ name, message }) => (
          <li key={name}>
            <a
              href={`#${fieldId(name)}`}
              onClick={(event) => {
                event.preventDefault()
                focusField(name)
              }}
              className="inline-block py-1.5 font-strong text-foreground decoration-destructive decoration-2"
            >
              {named(name, message)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

function heading(count: number): string {
  if (count === 1) return 'One answer needs another look'
  return `${numbers[count] ?? count} answers need another look`
}

/** A form asks for several addresses: which of them is wrong is said with its label. */
function named(name: string, message: string): string {
  if (message !== badEmail) return message
  const control = document.getElementById(fieldId(name))
  const label = control instanceof HTMLInputElement ? control.labels?.[0]?.textContent : undefined
  return label ? `${message}: ${label}` : message
}

/** Brings a field into view and puts the cursor into it. */
export function focusField(name: string) {
  const control = document.getElementById(fieldId(name))
  control?.focus({ preventScroll: true })
  control?.closest('div')?.scrollIntoView({ block: 'center' })
}
