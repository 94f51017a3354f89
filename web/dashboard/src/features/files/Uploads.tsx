import { useQueryClient } from '@tanstack/react-query'
import { Upload as UploadIcon, X } from 'lucide-react'
import { useRef, useState, type DragEvent, type ReactNode } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Progress } from '@cloch/ui/components/progress'
import { describeError } from '@/lib/notify'
import { filesKey } from './contract'
import { sendFile, type Upload } from './upload'

interface UploadsProps {
  bucket: string
  prefix: string
  /** A field before the button. */
  beside: ReactNode
  children: ReactNode
}

/** Drop zone for files. Shows the progress of each upload. If a file is refused, it stays in the list with the reason until the user closes it. */
export function Uploads({ bucket, prefix, beside, children }: UploadsProps) {
  const client = useQueryClient()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const set = (name: string, part: Partial<Upload>) =>
    setUploads((before) => before.map((upload) => (upload.name === name ? { ...upload, ...part } : upload)))
  const send = async (files: readonly File[]) => {
    setUploads((before) => [
      ...before.filter(({ name }) => !files.some((file) => file.name === name)),
      ...files.map(({ name }) => ({ name, progress: 0 })),
    ])
    // Files are uploaded one after another. If they were uploaded in parallel, the first files would be complete later on a slow connection.
    for (const file of files) {
      try {
        await sendFile(bucket, prefix + file.name, file, (progress) => set(file.name, { progress }))
        setUploads((before) => before.filter(({ name }) => name !== file.name))
      } catch (error) {
        set(file.name, { problem: describeError(error) })
      }
    }
    await client.invalidateQueries({ queryKey: filesKey })
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void send([...event.dataTransfer.files])
  }
  return (
    <div
      className={`grid gap-3 rounded ${isOver ? 'outline-3 outline-ring' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="flex items-end gap-3">
        {beside}
        <Button size="compact" onClick={() => input.current?.click()}>
          <UploadIcon aria-hidden />
          Upload
        </Button>
        <span className="pb-2 text-small text-muted-foreground max-sm:hidden">or drop files here</span>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={(event) => {
            void send([...(event.target.files ?? [])])
            event.target.value = ''
          }}
        />
      </div>
      {uploads.length > 0 && (
        <ul>
          {uploads.map(({ name, progress, problem }) => (
            <li key={name} className="flex items-center gap-3 border-b py-1.5">
              <div className="min-w-0 flex-1">
                <p className="truncate">{name}</p>
                {problem === undefined ? (
                  <Progress share={progress} label={`Uploading ${name}`} />
                ) : (
                  <p className="text-small text-destructive">{problem}</p>
                )}
              </div>
              {problem !== undefined && (
                <Button
                  variant="ghost"
                  size="compact-icon"
                  aria-label={`Dismiss ${name}`}
                  onClick={() => setUploads((before) => before.filter((upload) => upload.name !== name))}
                >
                  <X aria-hidden />
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  )
}
