import { Download } from 'lucide-react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { Facts } from '@/components/Facts'
import { formatBytes, formatDuration } from '@/lib/format'
import { bytesOf, cutBody, fileName, shownBody, type CallResponse } from './call'

/** Status, times, headers and body of a call. */
export function Response({ name, response }: { name: string; response: CallResponse }) {
  const { status, status_text: text, head_ms: head, total_ms: total, request_id: id } = response
  const cut = cutBody(response)
  return (
    <div className="grid min-w-0 gap-4">
      <p role="status" className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Badge tone={status >= 400 ? 'destructive' : 'success'}>
          {status} {text}
        </Badge>
        <span className="tabular-nums">
          {formatDuration(head)} to the head, {formatDuration(total)} in all
        </span>
        <Link to={`/logs?request_id=${encodeURIComponent(id)}`}>All lines of this request</Link>
      </p>
      {cut !== undefined && <p className="rounded border-l-6 border-input bg-muted p-3">{cut}</p>}
      <Body name={name} response={response} />
      <details>
        <summary className="cursor-pointer py-1 font-strong">Headers ({response.headers.length})</summary>
        <Headers headers={response.headers} />
      </details>
    </div>
  )
}

function Headers({ headers }: { headers: CallResponse['headers'] }) {
  // A header name may occur several times. Facts uses the names as React keys, so the values of the same name are joined.
  const names = [...new Set(headers.map(([header]) => header))]
  const values = (name: string) => headers.filter(([header]) => header === name).map(([, value]) => value)
  return <Facts facts={names.map((name) => [name, <code key={name}>{values(name).join('\n')}</code>] as const)} />
}

function Body({ name, response }: { name: string; response: CallResponse }) {
  const shown = shownBody(response)
  if (shown.kind === 'empty') return <p className="text-muted-foreground">The response has no body.</p>
  return (
    <div className="grid min-w-0 justify-items-start gap-2">
      {shown.kind === 'binary' ? (
        <p>The body is no text: {formatBytes(shown.bytes)}.</p>
      ) : (
        <div className="w-full min-w-0">
          <Code text={shown.text} label={shown.kind === 'json' ? 'Body (JSON)' : 'Body'} />
        </div>
      )}
      <Button variant="outline" size="compact" onClick={() => save(fileName(name, response.headers), bytesOf(response.body))}>
        <Download aria-hidden />
        Download the body
      </Button>
    </div>
  )
}

/**
 * Saves bytes as a file. The media type is a neutral one, not that of the function's response. Otherwise the browser could run the response as a
 * script with the dashboard's origin.
 */
function save(file: string, bytes: Uint8Array<ArrayBuffer>) {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = file
  link.click()
  setTimeout(() => URL.revokeObjectURL(url))
}
