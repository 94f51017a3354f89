import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Dialog } from '@/components/Dialog'
import { formatAgo, formatDuration } from '@/lib/format'
import { clearHistory, readHistory } from './history'

/** The statements that were run in this browser. */
export function HistoryPanel({
  operator,
  onChoose,
  onClose,
}: {
  operator: string
  onChoose: (sql: string) => void
  onClose: () => void
}) {
  const [entries, setEntries] = useState(() => readHistory(operator))
  const clear = () => {
    clearHistory(operator)
    setEntries([])
  }
  return (
    <Dialog
      title="History"
      description="Kept in this browser alone."
      place="side"
      onClose={onClose}
      footer={
        entries.length === 0 ? undefined : (
          <Button variant="outline" size="compact" onClick={clear}>
            Forget all
          </Button>
        )
      }
    >
      {entries.length === 0 && <p className="text-muted-foreground">Nothing was run yet.</p>}
      <ul>
        {entries.map(({ at, sql, ms, failed }) => (
          <li key={at} className="border-b">
            <button type="button" className="grid w-full gap-0.5 py-2 text-left hover:bg-accent" onClick={() => onChoose(sql)}>
              <code className="line-clamp-3 break-words whitespace-pre-wrap">{sql}</code>
              <span className="text-floor text-muted-foreground">
                {formatAgo(at)}, {failed ? 'failed' : formatDuration(ms)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
