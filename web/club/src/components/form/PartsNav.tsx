import { Check, CircleAlert, Circle } from 'lucide-react'
import { useFormState, useWatch } from 'react-hook-form'
import type { FormPart } from '@/lib/forms/form-spec'
import { wrongFields } from './ErrorSummary'

interface PartsNavProps {
  parts: readonly FormPart[]
  /** Number of files in the list. The part with the upload field shows it. */
  fileCount: number
}

/** Navigation to the parts of the form. After a submit, it marks each part as valid or invalid. */
export function PartsNav({ parts, fileCount }: PartsNavProps) {
  const { errors, submitCount } = useFormState()
  const values = useWatch()
  return (
    <nav aria-label="Parts of this form">
      <ol>
        {parts.map((part, index) => {
          const wrong = wrongFields(errors, part.fields).length
          const files = part.fields.includes('uploadedFiles')
          return (
            <li key={part.id} className="flex items-center gap-3 border-b py-2.5">
              <StateIcon wrong={wrong > 0} done={submitCount > 0} />
              <a href={`#${part.id}`} className="flex-1 text-foreground">
                {index + 1}. {part.titleFor?.(values) ?? part.title}
              </a>
              <State wrong={wrong} text={files ? filesText(fileCount) : submitCount > 0 ? 'Done' : ''} />
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

function StateIcon({ wrong, done }: { wrong: boolean; done: boolean }) {
  if (wrong) return <CircleAlert aria-hidden className="text-destructive" />
  if (done) return <Check aria-hidden className="text-success" />
  return <Circle aria-hidden className="text-muted-foreground" />
}

function State({ wrong, text }: { wrong: number; text: string }) {
  if (wrong > 0) return <span className="text-small font-strong text-destructive">{wrong} to fix</span>
  return <span className="text-small text-muted-foreground">{text}</span>
}

function filesText(count: number): string {
  if (count === 0) return ''
  return count === 1 ? '1 file' : `${count} files`
}
