import { useState } from 'react'
import { CheckField, TextField } from '@/components/fields'
import { SchemaField } from '@/components/SchemaField'
import { Empty, Result } from '@/components/states'
import { useCatalog, type DatabasePublication } from '@/lib/catalog'
import { ObjectPage } from './ObjectPage'
import { changePublication } from './publication-sql'
import { useActionsColumn } from './RowActions'
import { SqlForm } from './SqlForm'

/** Maximum number of tables that are listed for a publication. */
const mostNames = 8

export function Publications() {
  const list = useCatalog('publications')
  const [open, setOpen] = useState<DatabasePublication>()
  const actions = useActionsColumn<DatabasePublication>(
    ({ name }) => `tables of ${name}`,
    (one) => (one.whole ? [] : [{ name: 'Change', run: () => setOpen(one) }]),
  )
  return (
    <ObjectPage
      kind="publications"
      list={list}
      rowKey={({ name }) => name}
      words={({ name, tables }) => [name, ...tables.map(({ table }) => table)].join(' ')}
      empty={
        <Empty title="There are no publications.">
          Realtime needs one: <code>create publication supabase_realtime;</code>
        </Empty>
      }
      columns={[
        {
          name: 'Publication',
          className: 'font-strong',
          cell: ({ name }) => (name === 'supabase_realtime' ? `${name} (Realtime)` : name),
        },
        { name: 'Tables', className: 'min-w-56 break-words', cell: (publication) => describeTables(publication) },
        { name: 'Events', cell: ({ events }) => events.join(', ') },
        { name: 'Owner', cell: ({ owner }) => owner },
        ...actions,
      ]}
    >
      {open && <TablesForm publication={open} onClose={() => setOpen(undefined)} />}
    </ObjectPage>
  )
}

function describeTables({ whole, schemas, tables }: DatabasePublication): string {
  if (whole) return 'every table of the database'
  const names = tables.map(({ schema, table }) => (schema === 'public' ? table : `${schema}.${table}`))
  const rest = names.length - mostNames
  const words = [
    ...schemas.map((schema) => `every table of ${schema}`),
    ...names.slice(0, mostNames),
    ...(rest > 0 ? [`${rest} more`] : []),
  ]
  return words.length === 0 ? 'none' : words.join(', ')
}

/** Form for the tables of one schema. The publication sends changes of the selected tables. */
function TablesForm({ publication, onClose }: { publication: DatabasePublication; onClose: () => void }) {
  const [schema, setSchema] = useState(publication.tables[0]?.schema ?? 'public')
  const [chosen, setChosen] = useState<ReadonlySet<string>>()
  const [text, setText] = useState('')
  const tables = useCatalog('diagram', schema)
  const known = new Set(publication.tables.filter((one) => one.schema === schema).map(({ table }) => table))
  const ticked = chosen ?? known
  const added = [...ticked].filter((name) => !known.has(name))
  const removed = [...known].filter((name) => !ticked.has(name))
  const isChanged = added.length + removed.length > 0
  const isWholeSchema = publication.schemas.includes(schema)
  const tick = (name: string, isTicked: boolean) =>
    setChosen(new Set(isTicked ? [...ticked, name] : [...ticked].filter((one) => one !== name)))
  return (
    <SqlForm
      title={`Tables of ${publication.name}`}
      description="Changes of the ticked tables are sent."
      change={isChanged ? changePublication(publication.name, schema, added, removed) : undefined}
      missing="Nothing is changed."
      isDirty={isChanged}
      onClose={onClose}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <SchemaField
          value={schema}
          onChange={(next) => {
            setSchema(next)
            setChosen(undefined)
          }}
        />
        <TextField label="Find a table" type="search" value={text} onChange={setText} autoComplete="off" />
      </div>
      {isWholeSchema ? (
        <Empty title={`It sends every table of ${schema}.`} />
      ) : (
        <Result query={tables} what="the tables">
          {({ rows }) => {
            const found = rows.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
            if (found.length === 0) return <Empty title={rows.length === 0 ? 'This schema has no tables.' : 'No match.'} />
            return (
              <fieldset>
                <legend className="sr-only">Tables</legend>
                {found.map(({ name }) => (
                  <CheckField
                    key={name}
                    label={name}
                    checked={ticked.has(name)}
                    onChange={(isTicked) => tick(name, isTicked)}
                  />
                ))}
              </fieldset>
            )
          }}
        </Result>
      )}
    </SqlForm>
  )
}
