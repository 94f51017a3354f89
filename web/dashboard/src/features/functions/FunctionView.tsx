import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { Facts } from '@/components/Facts'
import { Page } from '@/components/Page'
import { Empty, Result } from '@/components/states'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@cloch/ui/components/tabs'
import { get } from '@/lib/api'
import { functionsKey, type EdgeFunction } from '@/lib/functions'
import { Call } from './Call'
import { accessBadge, stateBadge } from './badges'
import { latencyOf, errorsOf, callsOf } from './figures'
import { Output } from './Output'
import { Source } from './source/Source'
import { Versions } from './Versions'

/** The page of one function: its state and statistics, and tabs for its source, a test call, its output and its versions. */
export function FunctionView({ name }: { name: string }) {
  const client = useQueryClient()
  const functions = useQuery({ queryKey: functionsKey, queryFn: ({ signal }) => get<EdgeFunction[]>('/functions', {}, signal) })
  return (
    <Page title={name}>
      <p>
        <Link to="/functions">All functions</Link> ·{' '}
        <Link to={`/logs?api=functions&search=${encodeURIComponent(name)}`}>Its calls</Link>
      </p>
      <Result query={functions} what="the function">
        {(all) => {
          const shown = all.find((one) => one.name === name)
          if (!shown) return <Empty title="There is no function of this name." />
          const isBuiltIn = shown.source === 'built-in'
          return (
            <>
              <Standing shown={shown} />
              <Tabs defaultValue={isBuiltIn ? 'call' : 'source'}>
                <TabsList aria-label="About the function">
                  {!isBuiltIn && <TabsTrigger value="source">Source</TabsTrigger>}
                  <TabsTrigger value="call">Call</TabsTrigger>
                  {!isBuiltIn && <TabsTrigger value="output">Output</TabsTrigger>}
                  {!isBuiltIn && <TabsTrigger value="versions">Versions</TabsTrigger>}
                </TabsList>
                {/* The next two tabs stay mounted, so that their input is kept while another tab is open. */}
                {!isBuiltIn && (
                  <TabsContent value="source" forceMount className="data-[state=inactive]:hidden">
                    <Source shown={shown} />
                  </TabsContent>
                )}
                <TabsContent value="call" forceMount className="data-[state=inactive]:hidden">
                  <Call name={name} onCalled={() => void client.invalidateQueries({ queryKey: functionsKey, exact: true })} />
                </TabsContent>
                <TabsContent value="output">
                  <Output name={name} />
                </TabsContent>
                <TabsContent value="versions">
                  <Versions name={name} />
                </TabsContent>
              </Tabs>
            </>
          )
        }}
      </Result>
    </Page>
  )
}

function Standing({ shown }: { shown: EdgeFunction }) {
  const { figures, source, version } = shown
  return (
    <div className="grid gap-x-8 lg:grid-cols-2">
      <Facts
        facts={[
          ['State', stateBadge(shown)],
          ['Access', accessBadge(shown)],
          ['From', version === null || source !== 'deployed' ? source : `deployed, version ${version}`],
        ]}
      />
      <Facts
        facts={[
          ['Calls', `${callsOf(figures)} on this node since its start`],
          ['Errors', errorsOf(figures)],
          ['p50 / p95 / p99', latencyOf(figures, ['p50', 'p95', 'p99'])],
        ]}
      />
    </div>
  )
}
