import { useQuery } from '@tanstack/react-query'
import { Empty, Result } from '@/components/states'
import { get, path } from '@/lib/api'
import { functionsKey } from '@/lib/functions'
import { logFilter, type CallResponse } from './call'
import { LogTable, type LogLine } from './LogTable'

/** After a call, the log is read this number of times, because the worker writes the lines a little later. */
const reads = 5
const pauseMs = 1000

/** The lines of one call, in the order in which they were written. */
export function CallLog({ name, response }: { name: string; response: CallResponse }) {
  const filter = logFilter(response)
  const log = useQuery({
    queryKey: [...functionsKey, name, 'logs', filter.request],
    queryFn: ({ signal }) => get<{ lines: LogLine[] }>(path`/functions/${name}/logs`, filter, signal),
    refetchInterval: ({ state }) => state.dataUpdateCount < reads && pauseMs,
  })
  return (
    <Result query={log} what="the log of the call">
      {({ lines }) =>
        lines.length === 0 ? (
          <Empty title="The call wrote nothing to the log." />
        ) : (
          <LogTable label="Log of the call" lines={lines.toReversed()} />
        )
      }
    </Result>
  )
}
