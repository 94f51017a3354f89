import { Badge } from '@cloch/ui/components/badge'
import { DataTable } from '@/components/DataTable'
import { RowButton } from '@/components/RowButton'
import { formatClock, formatDuration } from '@/lib/format'
import { whatOf, type Line } from './contract'

export function Lines({ lines, onOpen }: { lines: readonly Line[]; onOpen: (line: Line) => void }) {
  return (
    <div data-log>
      <DataTable
        label="Lines of the log"
        rows={lines}
        rowKey={({ key, seq }) => key ?? seq}
        columns={[
          {
            name: 'Time',
            className: 'whitespace-nowrap tabular-nums',
            cell: (line) => (
              <RowButton label={`${formatClock(line.at)}: open the line`} onClick={() => onOpen(line)}>
                {formatClock(line.at)}
              </RowButton>
            ),
          },
          { name: 'API', onPhone: 'hidden', cell: ({ api }) => api },
          { name: 'Status', onPhone: 'beside', cell: (line) => <Status line={line} /> },
          {
            name: 'What',
            onPhone: 'below',
            className: 'min-w-64 max-w-xl',
            cell: (line) => <span className="line-clamp-2">{line.method ? <code>{whatOf(line)}</code> : line.message}</span>,
          },
          { name: 'Role', onPhone: 'hidden', cell: ({ role }) => role ?? '' },
          {
            name: 'Took',
            isNumber: true,
            onPhone: 'beside',
            className: 'whitespace-nowrap',
            cell: ({ duration_ms }) => (duration_ms === null || duration_ms === undefined ? '' : formatDuration(duration_ms)),
          },
        ]}
      />
    </div>
  )
}

function Status({ line: { status, level } }: { line: Line }) {
  // `status` is not a number in all lines. In a line about a worker process, it is a text with the exit status.
  if (typeof status === 'number') {
    const tone = status >= 500 ? 'destructive' : status >= 400 ? 'heather' : 'success'
    return <Badge tone={tone}>{status}</Badge>
  }
  return <Badge tone={level === 'error' ? 'destructive' : level === 'warn' ? 'heather' : 'muted'}>{level}</Badge>
}
