import { Badge } from '@cloch/ui/components/badge'
import { DataTable } from '@/components/DataTable'
import { formatClock } from '@/lib/format'

export interface LogLine {
  timestamp: string
  level: string
  message: string
  execution_id?: string | null
}

/** Log lines of a function. */
export function LogTable({ label, lines }: { label: string; lines: readonly LogLine[] }) {
  return (
    <DataTable
      label={label}
      rows={lines.map((line, at) => ({ ...line, at }))}
      rowKey={({ at }) => at}
      columns={[
        { name: 'Time', className: 'whitespace-nowrap tabular-nums', cell: ({ timestamp }) => formatClock(timestamp) },
        {
          name: 'Level',
          cell: ({ level }) => <Badge tone={level === 'error' ? 'destructive' : 'muted'}>{level}</Badge>,
        },
        {
          name: 'Message',
          className: 'min-w-64',
          cell: ({ message }) => <code className="break-words whitespace-pre-wrap">{message}</code>,
        },
      ]}
    />
  )
}
