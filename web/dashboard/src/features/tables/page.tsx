import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { Empty, Failed, Loading } from '@/components/states'
import { PageTitle } from '@/components/Page'
import { useViewingAs, type As } from '@/lib/as'
import { useSchemas, useTable, useTables } from '@/lib/schema'
import { useMay } from '@/lib/session'
import { useTitle } from '@/lib/use-title'
import { NewSchema } from './NewSchema'
import { NewTable } from './NewTable'
import { TableList } from './TableList'
import { TableView } from './TableView'
import { ViewingAs } from './ViewingAs'

/** The page for /tables, /tables/:schema and /tables/:schema/:table. On a phone, the list of tables is a separate page. */
export function Component() {
  const { schema = 'public', table } = useParams()
  const [query, setQuery] = useAddressQuery()
  const [isAsked, setNew] = useState(false)
  const [isSchemaAsked, setSchemaAsked] = useState(false)
  // The form is also open if the URL asks for it. Links and the search use such a URL.
  const isNew = isAsked || query.get('new') === 'table'
  const [as, setAs] = useViewingAs()
  const navigate = useNavigate()
  const mayChange = useMay('developer')
  useTitle(table ?? 'Tables')
  return (
    <div className="grid h-[max(calc(100dvh-3.125rem),40rem)] grid-cols-[minmax(0,1fr)] grid-rows-[minmax(0,1fr)] desk:h-dvh lg:grid-cols-[15rem_minmax(0,1fr)] 2xl:grid-cols-[20rem_minmax(0,1fr)]">
      <div className={cn('relative flex min-h-0 flex-col gap-3 p-4 lg:border-r', table !== undefined && 'max-lg:hidden')}>
        {table === undefined ? (
          <div className="max-lg:min-h-9">
            <PageTitle>Tables</PageTitle>
          </div>
        ) : (
          <p className="text-h3 font-bold">Tables</p>
        )}
        <TableList schema={schema} current={table} />
        {/* In a narrow window, the list is the page, and the buttons are beside its heading, where other pages have theirs. */}
        {mayChange && (
          <div className="max-lg:absolute max-lg:top-3 max-lg:right-4 max-lg:flex max-lg:flex-row-reverse max-lg:gap-2 lg:grid lg:gap-1">
            <Button variant="outline" size="compact" onClick={() => setNew(true)}>
              <Plus aria-hidden />
              New table
            </Button>
            <Button variant="ghost" size="compact" onClick={() => setSchemaAsked(true)}>
              New schema
            </Button>
          </div>
        )}
      </div>
      <div className={cn('flex min-h-0 min-w-0 flex-col', table === undefined && 'max-lg:hidden')}>
        {table === undefined ? (
          <div className="p-6">
            <NoneChosen schema={schema} onNew={mayChange ? () => setNew(true) : undefined} />
          </div>
        ) : (
          <>
            {as !== null && <ViewingAs as={as} onStop={() => setAs(null)} />}
            <Chosen key={`${schema}.${table}`} schema={schema} table={table} as={as} onAs={setAs} />
          </>
        )}
      </div>
      {isSchemaAsked && (
        <NewSchema
          onClose={() => setSchemaAsked(false)}
          onDone={(name) => void navigate(`/tables/${encodeURIComponent(name)}`)}
        />
      )}
      {isNew && mayChange && (
        <NewTable
          schema={schema}
          onClose={() => {
            setNew(false)
            // The parameter is removed, because otherwise a reload would open the form again.
            if (query.has('new')) setQuery({}, { replace: true })
          }}
          onDone={(name) => void navigate(`/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`)}
        />
      )}
    </div>
  )
}

/** Shown if no table is chosen. Invites the user to choose a table, or to create the first one. */
function NoneChosen({ schema, onNew }: { schema: string; onNew: (() => void) | undefined }) {
  const tables = useTables(schema)
  const schemas = useSchemas()
  if (schemas.data && !schemas.data.schemas.some(({ name }) => name === schema))
    return (
      <Empty title={`There is no schema ${schema}`}>
        <Link to="/tables/public">The tables of public</Link>
      </Empty>
    )
  if (tables.data?.tables.length === 0)
    return (
      <Empty
        title={`There are no tables in ${schema} yet`}
        action={
          onNew && (
            <Button size="compact" onClick={onNew}>
              <Plus aria-hidden />
              Make the first table
            </Button>
          )
        }
      >
        You name it and its columns, and see the SQL that makes it before it runs.
      </Empty>
    )
  return <Empty title="Choose a table">It opens with its rows. Its columns, indexes and policies are under Structure.</Empty>
}

interface ChosenProps {
  schema: string
  table: string
  /** The caller with whose rights the rows are read. It stays the same when another table is opened. */
  as: As | null
  onAs: (as: As | null) => void
}

function Chosen({ schema, table, as, onAs }: ChosenProps) {
  const { data, error, refetch } = useTable(schema, table)
  if (data) return <TableView table={data} as={as} onAs={onAs} />
  return (
    <div className="grid gap-4 p-4">
      <Link to={`/tables/${encodeURIComponent(schema)}`} className="lg:hidden">
        All tables
      </Link>
      <PageTitle>{table}</PageTitle>
      {error ? <Failed error={error} onRetry={() => void refetch()} /> : <Loading what="the table" />}
    </div>
  )
}
