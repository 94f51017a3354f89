import { useRef, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Dialog } from '@/components/Dialog'
import { CheckField, SelectField } from '@/components/fields'
import { ApiError, apiUrl, changeHeaders } from '@/lib/api'
import { formatBytes, formatRows } from '@/lib/format'
import { describeError, notifySuccess } from '@/lib/notify'
import type { TableDetail } from '@/lib/schema'
import { identifier, qualified } from '@/lib/sql-text'
import { firstLine, separatorOf, separators, type Separator } from './csv'
import { hasNames, problem, targets, type Target } from './csv-columns'
import { rewritten } from './csv-rewrite'

/** The names of the columns are searched in this number of bytes at the beginning of the file. */
const headBytes = 64 * 1024

/** Imports a CSV file into the table: either all rows or, after an error, none. The file is sent to the server as a stream. */
export function CsvImport({ table, onClose, onDone }: { table: TableDetail; onClose: () => void; onDone: () => void }) {
  const [file, setFile] = useState<File>()
  const [head, setHead] = useState('')
  const [separator, setSeparator] = useState<Separator>(',')
  const [columns, setColumns] = useState<Target[]>([])
  const [hasHeader, setHeader] = useState(true)
  const [progress, setProgress] = useState<number>()
  const [error, setError] = useState<unknown>()
  const running = useRef<XMLHttpRequest>(null)
  const isClosed = useRef(false)
  const names = table.columns.filter(({ generated }) => !generated).map(({ name }) => name)
  const fields = firstLine(head, separator)
  const map = (text: string, by: Separator, isHeader?: boolean) => {
    const line = firstLine(text, by)
    const hasThem = isHeader ?? hasNames(line, names)
    setSeparator(by)
    setHeader(hasThem)
    setColumns(targets(line, names, hasThem))
  }
  const choose = async (chosen: File | undefined) => {
    setFile(chosen)
    setError(undefined)
    const text = chosen === undefined ? '' : await chosen.slice(0, headBytes).text()
    setHead(text)
    map(text, separatorOf(text))
  }
  const kept = columns.filter((name) => typeof name === 'string')
  const isReady =
    file !== undefined && kept.length > 0 && columns.every((_, index) => problem(columns, index, hasHeader) === undefined)
  const isRewritten = separator !== ',' || kept.length !== columns.length
  const copy = `copy ${qualified(table.schema, table.name)} (${kept.map(identifier).join(', ')})\nfrom stdin with (format csv, header ${hasHeader}, encoding 'UTF8');`
  const send = async () => {
    if (!file) return
    setError(undefined)
    setProgress(0)
    const isLeftOut = columns.map((name) => name === null)
    const content = isRewritten ? await rewritten(file, separator, isLeftOut).catch(() => undefined) : file
    if (isClosed.current) return
    if (content === undefined) {
      setProgress(undefined)
      setError(new Error('The file cannot be read as UTF-8.'))
      return
    }
    const query = { schema: table.schema, table: table.name, columns: JSON.stringify(kept), header: hasHeader }
    running.current = upload(apiUrl('/rows/csv', query), content, setProgress, (outcome) => {
      setProgress(undefined)
      if (typeof outcome === 'number') {
        notifySuccess(`${formatRows(outcome)} ${outcome === 1 ? 'is' : 'are'} in ${table.name}`)
        onDone()
        onClose()
      } else setError(outcome)
    })
  }
  const close = () => {
    isClosed.current = true
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
        <Button size="compact" disabled={!isReady || progress !== undefined} onClick={() => void send()}>
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
          <CheckField
            label="The first line has names"
            checked={hasHeader}
            onChange={(isHeader) => map(head, separator, isHeader)}
          />
          <SelectField label="Separated by" value={separator} onChange={(by) => map(head, by as Separator)}>
            {Object.entries(separators).map(([by, name]) => (
              <option key={by} value={by}>
                {name}
              </option>
            ))}
          </SelectField>
          <fieldset className="grid gap-2 sm:grid-cols-2">
            <legend className="text-small font-strong">Columns of the file</legend>
            {columns.map((name, index) => (
              <SelectField
                key={index}
                label={`Column ${index + 1}${hasHeader ? `: ${fields[index] ?? ''}` : ''}`}
                error={problem(columns, index, hasHeader)}
                value={name === undefined ? '' : name === null ? leftOut : `=${name}`}
                onChange={(next) => setColumns(columns.map((before, at) => (at === index ? targetOf(next) : before)))}
              >
                <option value="">Choose…</option>
                <option value={leftOut}>Leave out</option>
                {names.map((option) => (
                  <option key={option} value={`=${option}`}>
                    {option}
                  </option>
                ))}
              </SelectField>
            ))}
          </fieldset>
          <Code label="SQL" text={copy} />
          {isRewritten && (
            <p className="text-floor text-muted-foreground">
              The browser first writes the file with commas and without the columns that are left out.
            </p>
          )}
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

/** Values of the select for a column's target. A value that begins with = contains the name of a column. */
const leftOut = 'out'
const targetOf = (value: string): Target => (value === '' ? undefined : value === leftOut ? null : value.slice(1))

/** Uploads the file with XMLHttpRequest, because `fetch` does not report upload progress. */
function upload(address: string, file: Blob, onProgress: (part: number) => void, onEnd: (outcome: number | Error) => void) {
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
