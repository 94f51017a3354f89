import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { SelectField, TextField } from '@/components/fields'
import { Failed } from '@/components/states'
import { useSchemas, useTables, type TableName } from '@/lib/schema'
import { TableEntry } from './TableEntry'
import { TableMenu } from './TableMenu'

/** Height of an entry in pixels. */
const entryHeight = 36

/** List of the relations in a schema. Only visible entries are rendered, so that a list with thousands of entries is as fast as one with ten. */
export function TableList({ schema, current }: { schema: string; current: string | undefined }) {
  const [search, setSearch] = useState('')
  const [menu, setMenu] = useState<{ entry: TableName; at: { x: number; y: number } }>()
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
      <div className="grid max-w-xl gap-3 max-lg:grid-cols-2">
        <SelectField label="Schema" value={schema} onChange={(next) => void navigate(`/tables/${encodeURIComponent(next)}`)}>
          {(schemas.data?.schemas ?? [{ name: schema, tables: 0 }]).map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <TextField label="Find a table" type="search" value={search} onChange={setSearch} autoComplete="off" />
      </div>
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
                  <TableEntry
                    schema={schema}
                    entry={entry}
                    isCurrent={entry.name === current}
                    onMenu={(at) => setMenu({ entry, at })}
                  />
                </li>
              )
            )
          })}
        </ul>
      </nav>
      {menu && (
        <TableMenu
          key={menu.entry.name}
          table={{ ...menu.entry, schema }}
          at={menu.at}
          isCurrent={menu.entry.name === current}
          onClose={() => setMenu(undefined)}
        />
      )}
    </>
  )
}
