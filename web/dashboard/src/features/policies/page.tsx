import { useState } from 'react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { AddressField } from '@/components/AddressField'
import { SelectField } from '@/components/fields'
import { FilterFields, Page } from '@/components/Page'
import { Empty, Result } from '@/components/states'
import { formatCount } from '@/lib/format'
import { useSchemas } from '@/lib/schema'
import { usePolicies, type Policies } from './contract'
import { PolicyEditor } from './PolicyEditor'
import { TableCard } from './TableCard'

/** Page about the policies: who may do what with each table. The URL contains the schema, the search and the open editor. */
export function Component() {
  const [search, setSearch] = useAddressQuery()
  const schema = search.get('schema') ?? 'public'
  const text = search.get('find') ?? ''
  const schemas = useSchemas()
  const policies = usePolicies(schema)
  const set = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true },
    )
  return (
    <Page
      title="Policies"
      lede="For each table who may read, add, change and remove rows: by grants first, then by the policies of row-level security."
    >
      <FilterFields>
        <SelectField label="Schema" value={schema} onChange={(value) => set('schema', value)} className="sm:w-48">
          {[...new Set([schema, ...(schemas.data?.schemas.map(({ name }) => name) ?? [])])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <AddressField
          label="Find a table"
          type="search"
          value={text}
          onChange={(value) => set('find', value)}
          className="sm:w-60"
        />
      </FilterFields>
      <Result query={policies} what="the policies">
        {(data) => <Tables data={data} text={text} onEdit={(table) => set('edit', table)} />}
      </Result>
      <OpenEditor data={policies.data} edited={search.get('edit')} onClose={() => set('edit', '')} />
    </Page>
  )
}

/**
 * Number of tables that are shown at first, and that are added each time. There is a limit because a schema may have thousands of tables, and each
 * table is shown with a matrix.
 */
const step = 40

function Tables({ data, text, onEdit }: { data: Policies; text: string; onEdit: (edited: string) => void }) {
  const [most, setMost] = useState(step)
  const tables = data.tables.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  if (tables.length === 0)
    return data.tables.length === 0 ? (
      <Empty title="This schema has no tables.">
        <Link to="/tables?new=table">Make one</Link>, and say here who may read and change its rows.
      </Empty>
    ) : (
      <Empty title="No tables match." />
    )
  return (
    <div className="grid gap-6">
      {tables.slice(0, most).map((table) => (
        <TableCard key={table.name} table={table} roles={data.roles} onEdit={onEdit} />
      ))}
      {tables.length > most && (
        <div className="flex flex-wrap items-center gap-3">
          <Button variant="outline" size="compact" onClick={() => setMost(most + step)}>
            Show more
          </Button>
          <span className="text-muted-foreground">
            {formatCount(most)} of {formatCount(tables.length)} tables are shown.
          </span>
        </div>
      )}
    </div>
  )
}

/** Decodes a part of the URL. If the user has typed an invalid part, returns it unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The editor that the URL asks for. @param edited `table` for a new policy, `table/policy` for an existing one */
function OpenEditor({ data, edited, onClose }: { data: Policies | undefined; edited: string | null; onClose: () => void }) {
  const [tableName, policyName] = (edited ?? '').split('/').map(decoded)
  const table = data?.tables.find(({ name }) => name === tableName)
  if (!data || !table) return null
  const policy = table.policies.find(({ name }) => name === policyName)
  return <PolicyEditor key={edited} table={table} policy={policy} roles={data.roles} onClose={onClose} />
}
