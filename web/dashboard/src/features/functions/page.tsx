import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { DataTable } from '@/components/DataTable'
import { Page, Section } from '@/components/Page'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { functionsKey, type EdgeFunction } from '@/lib/functions'
import { accessBadge, stateBadge } from './badges'
import { callsOf, failuresOf, latencyOf } from './figures'
import { FunctionView } from './FunctionView'
import { NewFunction } from './NewFunction'
import { Secrets } from './Secrets'

/** Page with the list of the project's functions. If the URL contains a name, the page shows this function. */
export function Component() {
  const { name } = useParams()
  return name === undefined ? <FunctionList /> : <FunctionView key={name} name={name} />
}

function FunctionList() {
  const isDeveloper = useMay('developer')
  const [isAdding, setAdding] = useState(false)
  const functions = useQuery({ queryKey: functionsKey, queryFn: ({ signal }) => get<EdgeFunction[]>('/functions', {}, signal) })
  return (
    <Page
      title="Functions"
      lede={
        <>
          TypeScript from the project’s folder, or deployed. A new one in the folder:{' '}
          <code className="whitespace-nowrap">cloch functions new NAME</code>.
        </>
      }
      actions={
        isDeveloper && (
          <Button size="compact" onClick={() => setAdding(true)}>
            <Plus aria-hidden />
            New function
          </Button>
        )
      }
    >
      <Result query={functions} what="the functions">
        {(data) =>
          data.length === 0 ? (
            <Empty title="There are no functions yet.">
              <code>cloch functions new hello</code> writes the first one into the project’s folder; it is served at once.
            </Empty>
          ) : (
            <>
              <FunctionTable functions={data} />
              <p className="text-small text-muted-foreground">
                Calls, errors and latency are those of the node that answered, since its start. Errors are responses 5xx;
                latency is the time to the head of a response, which half of the last 1,000 calls (p50) and 99 % of them (p99)
                did not exceed. A monitoring system reads figures from <code>/metrics</code> of each node.
              </p>
            </>
          )
        }
      </Result>
      {isDeveloper && (
        <Section title="Secrets">
          <Secrets />
        </Section>
      )}
      {isAdding && <NewFunction onClose={() => setAdding(false)} />}
    </Page>
  )
}

function FunctionTable({ functions }: { functions: EdgeFunction[] }) {
  return (
    <DataTable
      label="Functions"
      rows={functions}
      rowKey={({ name }) => name}
      columns={[
        {
          name: 'Function',
          className: 'min-w-36',
          cell: ({ name }) => (
            <Link to={`/functions/${encodeURIComponent(name)}`} className="font-strong">
              {name}
            </Link>
          ),
        },
        { name: 'State', className: 'whitespace-nowrap', cell: stateBadge },
        { name: 'Calls', isNumber: true, cell: ({ figures }) => callsOf(figures) },
        { name: 'Errors', isNumber: true, className: 'whitespace-nowrap', cell: ({ figures }) => failuresOf(figures) },
        { name: 'p50', isNumber: true, className: 'whitespace-nowrap', cell: ({ figures }) => latencyOf(figures, ['p50']) },
        { name: 'p99', isNumber: true, className: 'whitespace-nowrap', cell: ({ figures }) => latencyOf(figures, ['p99']) },
        { name: 'Version', cell: ({ version }) => version ?? '–' },
        { name: 'From', cell: ({ source }) => source },
        { name: 'Access', cell: accessBadge },
        { name: 'Changed', className: 'whitespace-nowrap', cell: ({ updated_at }) => formatTime(updated_at) },
      ]}
    />
  )
}
