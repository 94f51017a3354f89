import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '@cloch/ui/components/tabs'
import { Code } from '@/components/Copy'
import { DataTable } from '@/components/DataTable'
import { SelectField } from '@/components/fields'
import { Page } from '@/components/Page'
import { Empty, Result } from '@/components/states'
import { get, path, post } from '@/lib/api'
import { formatBytes, formatClock, formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { useAction } from '@/lib/use-action'
import { functionsKey, type EdgeFunction, type SourceFile, type Version } from '@/lib/functions'

export function FunctionView({ name }: { name: string }) {
  return (
    <Page title={name}>
      <p>
        <Link to="/functions">All functions</Link> ·{' '}
        <Link to={`/logs?api=functions&search=${encodeURIComponent(name)}`}>Its calls</Link>
      </p>
      <Tabs defaultValue="source">
        <TabsList aria-label="About the function">
          <TabsTrigger value="source">Source</TabsTrigger>
          <TabsTrigger value="output">Output</TabsTrigger>
          <TabsTrigger value="versions">Versions</TabsTrigger>
        </TabsList>
        <TabsContent value="source">
          <Source name={name} />
        </TabsContent>
        <TabsContent value="output">
          <Output name={name} />
        </TabsContent>
        <TabsContent value="versions">
          <Versions name={name} />
        </TabsContent>
      </Tabs>
    </Page>
  )
}

function Source({ name }: { name: string }) {
  const [chosen, setChosen] = useState('')
  const source = useQuery({
    queryKey: [...functionsKey, name, 'source'],
    queryFn: ({ signal }) => get<{ files: SourceFile[] }>(path`/functions/${name}/source`, {}, signal),
  })
  return (
    <Result query={source} what="the source">
      {({ files }) => {
        const file = files.find((one) => one.path === chosen) ?? files.find((one) => one.path.endsWith('index.ts')) ?? files[0]
        if (!file) return <Empty title="It has no files." />
        return (
          <div className="grid gap-3">
            <SelectField label="File" className="max-w-md" value={file.path} onChange={setChosen}>
              {files.map((one) => (
                <option key={one.path} value={one.path}>
                  {one.path} ({formatBytes(one.bytes)})
                </option>
              ))}
            </SelectField>
            {typeof file.text === 'string' ? (
              <Code text={file.text} label={file.path} />
            ) : (
              <p>This file is no text, or too large to show.</p>
            )}
          </div>
        )
      }}
    </Result>
  )
}

interface OutputLine {
  timestamp: string
  level: string
  message: string
  execution_id?: string | null
}

function Output({ name }: { name: string }) {
  const logs = useQuery({
    queryKey: [...functionsKey, name, 'logs'],
    queryFn: ({ signal }) => get<{ lines: OutputLine[] }>(path`/functions/${name}/logs`, { limit: 200 }, signal),
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
            <DataTable
              label={`What ${name} wrote`}
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
                  cell: ({ message }) => <code className="whitespace-pre-wrap">{message}</code>,
                },
              ]}
            />
          )
        }
      </Result>
    </div>
  )
}

function Versions({ name }: { name: string }) {
  const mayChange = useMay('developer')
  const detail = useQuery({
    queryKey: [...functionsKey, name, 'versions'],
    queryFn: ({ signal }) => get<EdgeFunction & { versions: Version[] }>(path`/functions/${name}`, {}, signal),
  })
  const serve = useAction((version: string | number) => post(path`/functions/${name}/versions/${version}`), {
    done: (_, version) => `Version ${version} is served`,
    failed: 'The version was not changed',
    refresh: [functionsKey],
  })
  return (
    <Result query={detail} what="the versions">
      {({ versions }) =>
        versions.length === 0 ? (
          <Empty title="It comes from the project’s folder: its versions are in your repository." />
        ) : (
          <DataTable
            label={`Versions of ${name}`}
            rows={versions}
            rowKey={({ version }) => version}
            columns={[
              { name: 'Version', cell: ({ version }) => version },
              { name: 'Deployed', cell: ({ created_at }) => formatTime(created_at) },
              {
                name: 'Serve',
                isHeadHidden: true,
                hasButtons: true,
                cell: ({ version, current }) =>
                  current ? (
                    <Badge tone="success">served</Badge>
                  ) : (
                    mayChange && (
                      <Button variant="outline" size="compact" disabled={serve.isPending} onClick={() => serve.mutate(version)}>
                        Serve version {version}
                      </Button>
                    )
                  ),
              },
            ]}
          />
        )
      }
    </Result>
  )
}
