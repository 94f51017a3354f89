import { ChartColumn, Download, Table2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { Plan } from '@/components/plan/Plan'
import { Failed } from '@/components/states'
import { formatDuration } from '@/lib/format'
import { Chart } from './Chart'
import { ResultGrid } from './ResultGrid'
import { chartable } from './chart-data'
import { readPlan, toCsv, type RunAnswer, type StatementResult } from './model'

interface ResultsProps {
  answer: RunAnswer | undefined
  error: unknown
  isRunning: boolean
  onPlace: (place: number) => void
}

/** The results of a run, one for each statement. An error is last; notices are below it. */
export function Results({ answer, error, isRunning, onPlace }: ResultsProps) {
  const [chosen, setChosen] = useState<number>()
  if (isRunning) return <p role="status">Running…</p>
  if (error !== undefined) return <Failed error={error} />
  if (!answer)
    return <p className="text-muted-foreground">Results come here. Ctrl+Enter runs what is selected, or everything.</p>
  const at = Math.min(chosen ?? answer.results.length - 1, answer.results.length - 1)
  const result = answer.results[at]
  return (
    <div className="flex min-h-0 flex-col gap-2">
      <p role="status" className="text-small text-muted-foreground">
        {answer.error ? 'It failed' : `${answer.results.length} ${answer.results.length === 1 ? 'result' : 'results'}`} in{' '}
        {formatDuration(answer.ms)}
        {kept(answer)}
      </p>
      {answer.error && (
        <div
          role="alert"
          className="grid justify-items-start gap-1 rounded border-l-6 border-destructive bg-destructive-wash p-3"
        >
          <p className="font-strong text-destructive">{answer.error.message}</p>
          {answer.error.detail !== null && <p>{answer.error.detail}</p>}
          {answer.error.hint !== null && <p>{answer.error.hint}</p>}
          <p className="text-floor text-muted-foreground">
            {answer.error.sqlstate !== null && `SQLSTATE ${answer.error.sqlstate}`}
          </p>
          {answer.error.position !== null && (
            <Button variant="outline" size="compact" onClick={() => onPlace(answer.error?.position ?? 0)}>
              Go to the place
            </Button>
          )}
        </div>
      )}
      {answer.results.length > 1 && (
        <div role="group" aria-label="Results" className="flex flex-wrap gap-1">
          {answer.results.map(({ command, start }, index) => (
            <button
              key={start}
              type="button"
              aria-pressed={index === at}
              className={cn(
                'rounded border px-2 py-1 text-small hover:bg-accent',
                index === at && 'border-foreground bg-secondary font-bold',
              )}
              onClick={() => setChosen(index)}
              onDoubleClick={() => onPlace(start)}
            >
              {index + 1}: {command || 'SELECT'}
            </button>
          ))}
        </div>
      )}
      {result && <OneResult key={`${at}-${answer.ms}`} result={result} />}
      {answer.notices.length > 0 && (
        <ul className="max-h-32 overflow-y-auto text-small" aria-label="Notices">
          {answer.notices.map(({ severity, message }, index) => (
            <li key={index}>
              <span className="font-strong">{severity}</span> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function kept(answer: RunAnswer) {
  if (answer.kept) return '. What was written is kept.'
  return answer.kept_partly
    ? '. Only a part of what was written is kept: the script ends transactions itself.'
    : '. Nothing was written.'
}

function OneResult({ result }: { result: StatementResult }) {
  const [isChart, setChart] = useState(false)
  const plan = readPlan(result)
  const columns = chartable(result)
  if (plan) return <Plan {...plan} />
  if (result.columns.length === 0) return <p>{result.command}</p>
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <span className="text-small text-muted-foreground">
          {result.rows.length} {result.rows.length === 1 ? 'row' : 'rows'}
          {result.more && ', there are more'} in {formatDuration(result.ms)}
        </span>
        <Button variant="ghost" size="compact" onClick={() => download(toCsv(result))}>
          <Download aria-hidden />
          CSV
        </Button>
        {columns && (
          <Button variant="ghost" size="compact" aria-pressed={isChart} onClick={() => setChart(!isChart)}>
            {isChart ? <Table2 aria-hidden /> : <ChartColumn aria-hidden />}
            {isChart ? 'Rows' : 'Chart'}
          </Button>
        )}
      </div>
      {isChart && columns ? <Chart result={result} columns={columns} /> : <ResultGrid result={result} />}
    </>
  )
}

function download(text: string) {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = address
  link.download = 'result.csv'
  link.click()
  URL.revokeObjectURL(address)
}
