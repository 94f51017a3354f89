import { Upload } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState, type ClipboardEvent, type DragEvent } from 'react'
import { useFormState } from 'react-hook-form'
import { isBusy } from '@/lib/upload/queue'
import { acceptAttribute, type Accepted } from '@/lib/upload/rules'
import type { Uploads } from '@/lib/upload/use-uploads'
import { useHydrated } from '@/lib/use-hydrated'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { errorMessage, FieldError, fieldClass, fieldId } from './Field'
import { FileRow } from './FileRow'

interface UploadFieldProps {
  name: string
  uploads: Pick<Uploads, 'items' | 'add' | 'retry' | 'remove'>
  accepted: Accepted
  /** A sentence about the files to send. */
  hint?: string
  /** Text of the button. */
  button?: string
}

/** A field for files, which can be chosen with a button, dropped or pasted. Shows each file with its state. */
export function UploadField({ name, uploads, accepted, hint, button = 'Choose files' }: UploadFieldProps) {
  const { errors } = useFormState()
  const error = errorMessage(errors, `root.${name}`)
  const id = fieldId(name)
  return (
    <div className={cn(fieldClass(error), 'gap-3')}>
      <FieldError id={id} error={error} />
      <DropZone onFiles={uploads.add}>
        <p id={`${id}-hint`}>
          {hint} {accepted.words}, up to 10{'\u00a0'}MB each.
        </p>
        <FilePicker id={id} accepted={accepted} button={button} onFiles={uploads.add} describedBy={`${id}-hint`} />
        <p className="no-print text-small text-muted-foreground max-md:hidden">
          {accepted.endings.includes('png')
            ? 'You can also drop files here, or paste a picture.'
            : 'You can also drop files here.'}
        </p>
      </DropZone>
      <p role="status" className={cn('text-small', uploads.items.length > 0 ? 'min-h-[1.45em]' : 'empty:hidden')}>
        {isBusy(uploads.items) ? 'Uploading files...' : ''}
      </p>
      <FileList uploads={uploads} />
    </div>
  )
}

export function FileList({ uploads }: { uploads: FileListProps }) {
  const { items, retry, remove } = uploads
  if (items.length === 0) return null
  return (
    <ul aria-label="Chosen files" className="overflow-hidden rounded border bg-card">
      {items.map((item) => (
        <FileRow
          key={item.id}
          item={item}
          onRetry={retry ? () => retry(item.id) : undefined}
          onRemove={() => remove(item.id)}
        />
      ))}
    </ul>
  )
}

type FileListProps = Pick<Uploads, 'items' | 'retry' | 'remove'>

interface FilePickerProps {
  id: string
  accepted: Accepted
  button: string
  describedBy: string
  /** Whether several files may be chosen together. */
  multiple?: boolean
  onFiles: (files: File[]) => void
}

/** The button that opens the device's file picker (files, photo library or camera). */
export function FilePicker({ id, accepted, button, describedBy, multiple = true, onFiles }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null)
  const take = useEffectEvent(() => {
    const picker = input.current
    if (!picker?.files?.length) return
    onFiles(Array.from(picker.files))
    // The value is cleared, so that the same file can be chosen again after its removal.
    picker.value = ''
  })
  // Files that were chosen before React hydrated the page, for example by a browser extension. They are added after the files of a draft.
  const hydrated = useHydrated()
  useEffect(() => {
    if (hydrated) take()
  }, [hydrated])
  return (
    <>
      <Button id={id} variant="outline" size="sm" aria-describedby={describedBy} onClick={() => input.current?.click()}>
        <Upload aria-hidden />
        {button}
      </Button>
      <input
        ref={input}
        type="file"
        multiple={multiple}
        hidden
        data-testid={`${id}-input`}
        accept={acceptAttribute(accepted)}
        onChange={(event) => {
          onFiles(Array.from(event.target.files ?? []))
          // The value is cleared, so that the same file can be chosen again after its removal.
          event.target.value = ''
        }}
      />
    </>
  )
}

/** An area that accepts dropped and pasted files. */
export function DropZone({ onFiles, children }: { onFiles: (files: File[]) => void; children: React.ReactNode }) {
  const [over, setOver] = useState(false)
  const take = (event: DragEvent | ClipboardEvent, data: DataTransfer) => {
    const files = Array.from(data.files)
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  }
  useKeepPage()
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        take(event, event.dataTransfer)
      }}
      onPaste={(event) => take(event, event.clipboardData)}
      data-over={over}
      className="grid justify-items-start gap-2.5 rounded border-2 border-dashed border-input bg-card p-5 data-[over=true]:border-ring data-[over=true]:bg-accent"
    >
      {children}
    </div>
  )
}

/**
 * Ignores files that are dropped outside the drop zone. By default, the browser would open such a file in place of the page, and the form would be
 * lost.
 */
function useKeepPage() {
  useEffect(() => {
    const keep = (event: Event) => event.preventDefault()
    window.addEventListener('dragover', keep)
    window.addEventListener('drop', keep)
    return () => {
      window.removeEventListener('dragover', keep)
      window.removeEventListener('drop', keep)
    }
  }, [])
}
