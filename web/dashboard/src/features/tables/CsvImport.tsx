import { useRef, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { CheckField, SelectField } from '@/components/fields'
import { ApiError, apiUrl, changeHeaders } from '@/lib/api'
import { formatBytes, formatCount } from '@/lib/format'
import { describeError, notifySuccess } from '@/lib/notify'
import type { TableDetail } from '@/lib/schema'
import { identifier, qualified } from '@/lib/sql-text'
import { firstLine } from './csv'

/** Bytes of a file that are read for its names. */
const headBytes = 64 * 1024

/** A CSV file into the table: all of its rows, or none. It goes to the server as it is read. */
export function CsvImport({ table, onClose, onDone }: { table: TableDetail; onClose: () => void; onDone: () => void }) {
  const [file, setFile] = useState<File>()
  const [columns, setColumns] = useState<string[]>([])
  const [hasHeader, setHeader] = useState(true)
  const [progress, setProgress] = useState<number>()
  const [error, setError] = useState<unknown>()
  const running = useRef<XMLHttpRequest>(null)
  const names = table.columns.filter(({ generated }) => !generated).map(({ name }) => name)
  const choose = async (chosen: File | undefined) => {
    setFile(chosen)
    setError(undefined)
    const head = chosen === undefined ? [] : firstLine(await chosen.slice(0, headBytes).text())
    const isHeader = head.every((name) => names.includes(name))
    setHeader(isHeader)
    setColumns(head.map((name, index) => (isHeader ? name : (names[index] ?? ''))))
  }
  const isReady =
    file !== undefined && columns.length > 0 && columns.every((name) => name !== '') && new Set(columns).size === columns.length
  const copy = `copy ${qualified(table.schema, table.name)} (${columns.map(identifier).join(', ')})\nfrom stdin with (format csv, header ${hasHeader});`
  const send = () => {
    if (!file) return
    setError(undefined)
    setProgress(0)
    const query = { schema: table.schema, table: table.name, columns: JSON.stringify(columns), header: hasHeader }
    running.current = upload(apiUrl('/rows/csv', query), file, setProgress, (outcome) => {
      setProgress(undefined)
      if (typeof outcome === 'number') {
        notifySuccess(`${formatCount(outcome)} rows are in ${table.name}`)
        onDone()
        onClose()
      } else setError(outcome)
    })
  }
  const close = () => {
    running.current?.abort()
    onClose()
  }
  return (
    <Dialog
      title={`CSV into ${table.name}`}
      description="All rows of the file, or none. An empty field is null, an empty field in quotation marks is an empty text."
      onClose={close}
      isDirty={file !== undefined}
      footer={
        <Button size="compact" disabled={!isReady || progress !== undefined} onClick={send}>
          Import
        </Button>
      }
    >
      <div className="grid gap-1">
        <label htmlFor="csv-file" className="text-small font-strong">
          File
        </label>
        <input
          id="csv-file"
          type="file"
          accept=".csv,text/csv"
          className="max-w-full rounded file:mr-3 file:min-h-9 file:rounded file:border-2 file:border-foreground file:bg-transparent file:px-3 file:font-strong hover:file:bg-accent"
          onChange={(event) => void choose(event.target.files?.[0])}
        />
      </div>
      {file && (
        <>
          <CheckField label="The first line has names" checked={hasHeader} onChange={setHeader} />
          <fieldset className="grid gap-2 sm:grid-cols-2">
            <legend className="text-small font-strong">Columns of the file</legend>
            {columns.map((name, index) => (
              <SelectField
                key={index}
                label={`Column ${index + 1}`}
                value={name}
                onChange={(next) => setColumns(columns.map((before, at) => (at === index ? next : before)))}
              >
                <option value="">Choose…</option>
                {names.map((option) => (
                  <option key={option}>{option}</option>
                ))}
              </SelectField>
            ))}
          </fieldset>
          <Code label="SQL" text={copy} />
        </>
      )}
      {progress !== undefined && file && (
        <label className="grid gap-1">
          {formatBytes(Math.round(progress * file.size))} of {formatBytes(file.size)}
          <progress className="h-1.5 w-full" value={progress} />
        </label>
      )}
      {error !== undefined && (
        <p role="alert" className="rounded border-l-6 border-destructive bg-destructive-wash p-3 text-destructive">
          {describeError(error)}
        </p>
      )}
    </Dialog>
  )
}

/** Sends the file; fetch cannot tell how far it is. */
function upload(address: string, file: File, onProgress: (part: number) => void, onEnd: (outcome: number | Error) => void) {
  const request = new XMLHttpRequest()
  request.open('POST', address)
  for (const [name, value] of Object.entries({ ...changeHeaders(), 'content-type': 'text/csv' }))
    request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
  request.onload = () => {
    const body = parse(request.responseText)
    if (request.status === 200 && typeof body.rows === 'number') onEnd(body.rows)
    else onEnd(new ApiError(request.status, body, request.getResponseHeader('x-request-id') ?? undefined))
  }
  request.onerror = () => onEnd(new ApiError(0, { code: 'network', message: 'The server cannot be reached.' }))
  request.send(file)
  return request
}

function parse(text: string): { rows?: number; message?: string; hint?: string } {
  try {
    return JSON.parse(text) as { rows?: number; message?: string; hint?: string }
  } catch {
    return {}
  }
}
