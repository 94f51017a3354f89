import { DataTable } from '@/components/DataTable'
import { RowButton } from '@/components/RowButton'
import { formatCount, formatDuration } from '@/lib/format'
import { keyOf, type Statement } from './contract'

interface StatementTableProps {
  statements: Statement[]
  open: string | null
  onOpen: (statement: Statement) => void
}

/** Maximum length of a statement's text in the list. The panel shows the whole text. */
const most = 300

export const formatShare = (share: number) => (share > 0 && share < 0.01 ? 'under 1 %' : `${Math.round(share * 100)} %`)

export function StatementTable({ statements, open, onOpen }: StatementTableProps) {
  return (
    <DataTable
      label="Slow statements"
      rows={statements}
      rowKey={keyOf}
      isChosen={(statement) => keyOf(statement) === open}
      columns={[
        {
          name: 'Statement',
          className: 'min-w-56',
          cell: (statement) => (
            <RowButton onClick={() => onOpen(statement)}>
              {/* The button's underline would hide underscores. It is not drawn below an inline block. */}
              <span className="inline-block">
                <code className="line-clamp-2 font-normal wrap-anywhere underline decoration-1 underline-offset-[0.35em]">
                  {shortened(statement.text)}
                </code>
              </span>
            </RowButton>
          ),
        },
        { name: 'Role', cell: ({ role }) => <code>{role}</code> },
        { name: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
        { name: 'Total', isNumber: true, className: 'whitespace-nowrap', cell: ({ total_ms }) => formatDuration(total_ms) },
        { name: 'Share', isNumber: true, className: 'whitespace-nowrap', cell: ({ share }) => formatShare(share) },
        { name: 'Mean', isNumber: true, className: 'whitespace-nowrap', cell: ({ mean_ms }) => formatDuration(mean_ms) },
        { name: 'Longest', isNumber: true, className: 'whitespace-nowrap', cell: ({ max_ms }) => formatDuration(max_ms) },
        { name: 'Rows', isNumber: true, cell: ({ rows }) => formatCount(rows) },
      ]}
    />
  )
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most)}…` : line
}
