import { useState } from 'react'
import { SelectField } from '@/components/fields'
import type { StatementResult } from './model'

/** Bars that are drawn. */
const most = 60

/** One column of numbers as bars, each with its name and figure, so that nothing is told by colour or length alone. */
export function Chart({ result, labels, values }: { result: StatementResult; labels: number; values: number[] }) {
  const [column, setColumn] = useState(values[0] ?? 0)
  const rows = result.rows.slice(0, most)
  const number = (row: (string | null)[]) => Number(row[column] ?? 0) || 0
  const largest = Math.max(...rows.map((row) => Math.abs(number(row))), Number.MIN_VALUE)
  return (
    <div
      className="grid min-h-0 flex-1 content-start gap-2 overflow-auto rounded border bg-card p-3"
      tabIndex={0}
      role="region"
      aria-label="Chart"
    >
      {values.length > 1 && (
        <SelectField label="Bars" className="w-60" value={String(column)} onChange={(next) => setColumn(Number(next))}>
          {values.map((index) => (
            <option key={index} value={index}>
              {result.columns[index]?.name}
            </option>
          ))}
        </SelectField>
      )}
      <ul className="grid gap-1 text-small">
        {rows.map((row, index) => (
          <li key={index} className="grid grid-cols-[minmax(0,10rem)_minmax(0,1fr)_auto] items-center gap-2">
            <span className="truncate">{row[labels] ?? 'null'}</span>
            <span className="h-4 bg-muted">
              <span className="block h-full bg-primary" style={{ width: `${(Math.abs(number(row)) / largest) * 100}%` }} />
            </span>
            <span className="tabular-nums">{row[column] ?? 'null'}</span>
          </li>
        ))}
      </ul>
      {result.rows.length > most && <p className="text-muted-foreground">The first {most} rows are drawn.</p>}
    </div>
  )
}
