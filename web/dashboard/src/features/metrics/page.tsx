import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { Page, Section } from '@/components/Page'
import { Empty, Failed, Result } from '@/components/states'
import { formatTime } from '@/lib/format'
import { Chart } from './Chart'
import { groups } from '@/lib/metrics/charts'
import { useMetrics, type Metrics } from '@/lib/metrics/contract'
import { Figures } from './Figures'
import { rangeOf, ranges } from '@/lib/metrics/range'

/** Page with the metrics of the node that answered the request: load, speed, memory and disk use. */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const range = rangeOf(search)
  const metrics = useMetrics(range)
  return (
    <Page
      title="Metrics"
      lede={
        <>
          What {metrics.data ? <strong>{metrics.data.node}</strong> : 'this node'} has measured. Kept in memory: each start
          begins anew, and each node has its own.
        </>
      }
      actions={
        <div role="group" aria-label="Range" className="flex gap-2">
          {ranges.map((one) => (
            <Button
              key={one}
              variant={one === range ? 'default' : 'outline'}
              size="compact"
              aria-pressed={one === range}
              onClick={() => setSearch({ range: one }, { replace: true })}
            >
              {one}
            </Button>
          ))}
        </div>
      }
    >
      {/* If an update fails, the charts show old data. Therefore the error is shown above them. */}
      {metrics.data && metrics.isError && <Failed error={metrics.error} onRetry={() => void metrics.refetch()} />}
      <Result query={metrics} what="the metrics">
        {(data) => (data.times.length < 2 ? <TooYoung data={data} /> : <Charts data={data} />)}
      </Result>
    </Page>
  )
}

function TooYoung({ data: { step, started_at } }: { data: Metrics }) {
  return (
    <Empty title="There is nothing to draw yet.">
      A line needs two values, and this range has one every {step < 60 ? `${step} seconds` : `${step / 60} minutes`}. The server
      was started on {formatTime(started_at)}.
    </Empty>
  )
}

function Charts({ data }: { data: Metrics }) {
  const [at, setAt] = useState<number>()
  // The selection is stored as a time. An index would change its meaning when samples are added and removed.
  const found = at === undefined ? -1 : data.times.indexOf(at)
  return (
    <>
      <Figures data={data} />
      {groups.map(({ title, charts }) => (
        <Section key={title} title={title}>
          <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
            {charts.map((spec) => (
              <Chart
                key={spec.title}
                spec={spec}
                data={data}
                pointed={found < 0 ? undefined : found}
                onPoint={(index) => setAt(index === undefined ? undefined : data.times[index])}
              />
            ))}
          </div>
        </Section>
      ))}
    </>
  )
}
