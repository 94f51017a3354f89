import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { Button } from '@cloch/ui/components/button'
import { Empty, Result } from '@/components/states'
import { get, path } from '@/lib/api'
import { functionsKey } from '@/lib/functions'
import { LogTable, type LogLine } from './LogTable'

/** The newest log lines of a function, regardless of the call. */
export function Output({ name }: { name: string }) {
  const logs = useQuery({
    queryKey: [...functionsKey, name, 'logs'],
    queryFn: ({ signal }) => get<{ lines: LogLine[] }>(path`/functions/${name}/logs`, { limit: 200 }, signal),
    staleTime: 0,
  })
  return (
    <div className="grid gap-3">
      <Button variant="outline" size="compact" className="justify-self-start" onClick={() => void logs.refetch()}>
        <RefreshCw aria-hidden />
        Refresh
      </Button>
      <Result query={logs} what="the output">
        {({ lines }) =>
          lines.length === 0 ? (
            <Empty title="It has written nothing yet." />
          ) : (
            <LogTable label={`What ${name} wrote`} lines={lines} />
          )
        }
      </Result>
    </div>
  )
}
