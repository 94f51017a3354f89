import { useVirtualizer } from '@tanstack/react-virtual'
import { ShieldAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { cn } from '@cloch/ui/lib/cn'
import { SelectField, TextField } from '@/components/fields'
import { Failed } from '@/components/states'
import { formatCount } from '@/lib/format'
import { useSchemas, useTables, type TableName } from '@/lib/schema'

/** Pixels of an entry. */
const entryHeight = 36

/** The relations of a schema; those in sight are drawn, so that thousands are as quick as ten. */
export function TableList({ schema, current }: { schema: string; current: string | undefined }) {
  const [search, setSearch] = useState('')
  const navigate = useNavigate()
  const schemas = useSchemas()
  const tables = useTables(schema)
  const frame = useRef<HTMLDivElement>(null)
  const wanted = search.toLowerCase()
  const found = (tables.data?.tables ?? []).filter(({ name }) => name.toLowerCase().includes(wanted))
  const list = useVirtualizer({
    count: found.length,
    getScrollElement: () => frame.current,
    estimateSize: () => entryHeight,
    overscan: 10,
  })
  return (
    <>
      <SelectField label="Schema" value={schema} onChange={(next) => void navigate(`/tables/${encodeURIComponent(next)}`)}>
        {(schemas.data?.schemas ?? [{ name: schema, tables: 0 }]).map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <TextField label="Find a table" type="search" value={search} onChange={setSearch} autoComplete="off" />
      {tables.error && <Failed error={tables.error} />}
      {tables.data && found.length === 0 && (
        <p className="text-muted-foreground">{search === '' ? 'No tables yet.' : 'None of this name.'}</p>
      )}
      <nav ref={frame} aria-label="Tables" className="min-h-40 flex-1 overflow-y-auto">
        <ul className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start, size }) => {
            const entry = found[index]
            return (
              entry && (
                <li
                  key={entry.name}
                  className="absolute top-0 left-0 w-full"
                  style={{ height: size, transform: `translateY(${start}px)` }}
                >
                  <Entry schema={schema} entry={entry} isCurrent={entry.name === current} />
                </li>
              )
            )
          })}
        </ul>
      </nav>
    </>
  )
}

function Entry({ schema, entry, isCurrent }: { schema: string; entry: TableName; isCurrent: boolean }) {
  const isTable = entry.kind === 'table' || entry.kind === 'partitioned'
  return (
    <Link
      to={`/tables/${encodeURIComponent(schema)}/${encodeURIComponent(entry.name)}`}
      aria-current={isCurrent ? 'page' : undefined}
      title={entry.comment === null ? entry.name : `${entry.name}: ${entry.comment}`}
      className={cn(
        'flex h-full items-center gap-2 rounded border-l-6 border-transparent px-2 text-foreground no-underline hover:bg-accent',
        isCurrent && 'border-foreground bg-secondary font-bold',
      )}
    >
      <span className="min-w-0 flex-1 truncate">{entry.name}</span>
      {isTable && !entry.rls && schema === 'public' && (
        <ShieldAlert role="img" aria-label="Row-level security is off" className="text-destructive" />
      )}
      <span className="text-floor text-muted-foreground tabular-nums">
        {isTable ? (entry.rows < 0 ? '' : formatCount(entry.rows)) : entry.kind === 'materialized' ? 'view' : entry.kind}
      </span>
    </Link>
  )
}
