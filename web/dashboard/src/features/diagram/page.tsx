import { Link } from 'react-router'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { PageTitle } from '@/components/Page'
import { SchemaField } from '@/components/SchemaField'
import { Empty, Result } from '@/components/states'
import { useCatalog } from '@/lib/catalog'
import { formatCount } from '@/lib/format'
import { useTitle } from '@/lib/use-title'
import { Diagram } from './Diagram'

/** Page with the diagram of a schema's tables. The schema is in the URL. */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const schema = search.get('schema') ?? 'public'
  const tables = useCatalog('diagram', schema)
  useTitle('Diagram')
  return (
    <div className="flex h-[max(calc(100dvh-3.125rem),36rem)] flex-col gap-3 px-4 py-4 sm:px-6 desk:h-dvh">
      <header className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <div className="grid min-w-0 flex-1 basis-72 gap-1">
          <PageTitle>Diagram</PageTitle>
          <p className="text-small text-muted-foreground max-sm:hidden">
            Bold with a key: primary key. Chain: foreign key. Question mark after a type: the column can be null.
          </p>
        </div>
        <SchemaField value={schema} onChange={(next) => setSearch({ schema: next }, { replace: true })} className="w-48" />
      </header>
      <Result query={tables} what="the tables">
        {({ rows, truncated }) =>
          rows.length === 0 ? (
            <Empty title="This schema has no tables.">
              <Link to={`/tables/${encodeURIComponent(schema)}?new=table`}>Make one</Link>
            </Empty>
          ) : (
            <>
              <Diagram key={schema} schema={schema} tables={rows} />
              {truncated && <p className="text-muted-foreground">The first {formatCount(rows.length)} tables are shown.</p>}
            </>
          )
        }
      </Result>
    </div>
  )
}
