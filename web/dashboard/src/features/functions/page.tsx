import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { DataTable } from '@/components/DataTable'
import { Page, Section } from '@/components/Page'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { formatTime } from '@/lib/format'
import { useMay } from '@/lib/session'
import { functionsKey, type EdgeFunction } from '@/lib/functions'
import { FunctionView } from './FunctionView'
import { Secrets } from './Secrets'

/** The project's functions; one of them where its name is in the address. */
export function Component() {
  const { name } = useParams()
  return name === undefined ? <FunctionList /> : <FunctionView key={name} name={name} />
}

function FunctionList() {
  const maySeeSecrets = useMay('developer')
  const functions = useQuery({ queryKey: functionsKey, queryFn: ({ signal }) => get<EdgeFunction[]>('/functions', {}, signal) })
  return (
    <Page
      title="Functions"
      lede={
        <>
          TypeScript from the project’s folder, or deployed. A new one:{' '}
          <code className="whitespace-nowrap">cloch functions new NAME</code>.
        </>
      }
    >
      <Result query={functions} what="the functions">
        {(data) =>
          data.length === 0 ? (
            <Empty title="There are no functions yet.">
              <code>cloch functions new hello</code> writes the first one into the project’s folder; it is served at once.
            </Empty>
          ) : (
            <FunctionTable functions={data} />
          )
        }
      </Result>
      {maySeeSecrets && (
        <Section title="Secrets">
          <Secrets />
        </Section>
      )}
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
        { name: 'Version', cell: ({ version }) => version ?? '–' },
        {
          name: 'State',
          className: 'whitespace-nowrap',
          cell: ({ boots }) => (boots === false ? <Badge tone="destructive">failed to start</Badge> : ''),
        },
        { name: 'From', cell: ({ source }) => source },
        {
          name: 'Access',
          cell: ({ verify_jwt }) => (verify_jwt ? <Badge>requires a token</Badge> : <Badge tone="heather">public</Badge>),
        },
        { name: 'Changed', className: 'whitespace-nowrap', cell: ({ updated_at }) => formatTime(updated_at) },
      ]}
    />
  )
}
