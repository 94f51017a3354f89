import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { Code } from '@/components/Copy'
import { SelectField, TextField } from '@/components/fields'
import { FilterFields, Page, Section } from '@/components/Page'
import { Empty, Result } from '@/components/states'
import { apiUrl, get } from '@/lib/api'
import { useFunctions, useTable, useTables } from '@/lib/schema'
import { functionExamples, rowType, tableExamples, type Address, type Example } from './examples'
import { Names } from './Names'

interface Project {
  url: string
  api: { rest: string }
  publishable_key: string
  schemas: string[]
}

const languages = ['supabase-js', 'curl', 'TypeScript'] as const
type Language = (typeof languages)[number]

/** Page with code examples: how a program calls the API for each table and function. The examples contain this project's URL and public key. */
export function Component() {
  const [query, setQuery] = useAddressQuery()
  const project = useQuery({ queryKey: ['project'], queryFn: ({ signal }) => get<Project>('/project', {}, signal) })
  const [language, setLanguage] = useState<Language>('supabase-js')
  const schema = query.get('schema') ?? project.data?.schemas[0] ?? 'public'
  const set = (values: Record<string, string>) => setQuery({ schema, ...values }, { replace: true })
  return (
    <Page title="API" lede="Made from the schema. What a caller may read or change is decided by grants and policies.">
      <FilterFields>
        <SelectField
          label="Schema"
          className="sm:w-48"
          value={schema}
          onChange={(next) => setQuery({ schema: next }, { replace: true })}
        >
          {(project.data?.schemas ?? [schema]).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <SelectField label="Language" className="sm:w-48" value={language} onChange={(next) => setLanguage(next as Language)}>
          {languages.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <Button variant="outline" size="compact" className="max-sm:col-span-2" asChild>
          <a href={apiUrl('/types')} download="database.types.ts">
            <Download aria-hidden />
            TypeScript types of the project
          </a>
        </Button>
      </FilterFields>
      <Result query={project} what="the project">
        {({ url, api, publishable_key }) => {
          const address = { url, rest: api.rest, key: publishable_key }
          return (
            <>
              {language === 'supabase-js' && (
                <Code
                  label="the client"
                  text={`import { createClient } from '@supabase/supabase-js'\n\nconst supabase = createClient(${JSON.stringify(url)}, ${JSON.stringify(publishable_key)})`}
                />
              )}
              <Chooser schema={schema} chosen={query.get('table')} called={query.get('function')} onChoose={set} />
              {query.get('table') !== null && (
                <TableDocs schema={schema} table={query.get('table') ?? ''} {...{ language, address }} />
              )}
              {query.get('function') !== null && (
                <FunctionDocs schema={schema} name={query.get('function') ?? ''} {...{ language, address }} />
              )}
            </>
          )
        }}
      </Result>
    </Page>
  )
}

interface ChooserProps {
  schema: string
  chosen: string | null
  called: string | null
  onChoose: (values: Record<string, string>) => void
}

/** Maximum number of names in a list. Other names can be found with the search. */
const mostNames = 200

function Chooser({ schema, chosen, called, onChoose }: ChooserProps) {
  const [search, setSearch] = useState('')
  const tables = useTables(schema)
  const functions = useFunctions(schema)
  const matching = (names: string[]) =>
    names.filter((name) => name.toLowerCase().includes(search.toLowerCase())).slice(0, mostNames)
  const names = matching((tables.data?.tables ?? []).map(({ name }) => name))
  const calls = matching([...new Set((functions.data?.functions ?? []).map(({ name }) => name))])
  return (
    <>
      <FilterFields>
        <TextField
          label="Find"
          type="search"
          className="max-sm:col-span-2 sm:w-48"
          value={search}
          onChange={setSearch}
          autoComplete="off"
        />
        <SelectField label="Table" className="sm:w-64" value={chosen ?? ''} onChange={(table) => onChoose({ table })}>
          <option value="">Choose…</option>
          {[...new Set([...(chosen === null ? [] : [chosen]), ...names])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
        <SelectField
          label="Function"
          className="sm:w-64"
          value={called ?? ''}
          onChange={(name) => onChoose({ function: name })}
        >
          <option value="">Choose…</option>
          {[...new Set([...(called === null ? [] : [called]), ...calls])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      </FilterFields>
      {tables.data?.tables.length === 0 && (
        <Empty title="There are no tables yet">
          <Link to="/tables?new=table">Make one</Link>: what is written here is made from it.
        </Empty>
      )}
      {chosen === null && called === null && (
        <>
          <Names title="Tables" schema={schema} kind="table" names={names} />
          <Names title="Functions" schema={schema} kind="function" names={calls} />
        </>
      )}
    </>
  )
}

interface DocsProps {
  language: Language
  address: Address
}

function TableDocs({ schema, table, language, address }: DocsProps & { schema: string; table: string }) {
  const found = useTable(schema, table)
  return (
    <Result query={found} what="the table">
      {(detail) =>
        language === 'TypeScript' ? (
          <Section title={table}>
            <Code label={`the type of ${table}`} text={rowType(detail)} />
            <p className="text-muted-foreground">
              For the whole project: the button above, or <code>cloch gen types typescript</code>
            </p>
          </Section>
        ) : (
          <Examples examples={tableExamples(detail, address)} language={language} />
        )
      }
    </Result>
  )
}

function FunctionDocs({ schema, name, language, address }: DocsProps & { schema: string; name: string }) {
  const functions = useFunctions(schema)
  return (
    <Result query={functions} what="the function">
      {(data) => (
        <>
          {data.functions
            .filter((called) => called.name === name)
            .map((called, index) => {
              const args = called.arguments.map(
                (argument) => `${argument.name ?? '_'}${argument.has_default ? '?' : ''}: ${argument.type}`,
              )
              const signature = `${name}(${args.join(', ')}) → ${called.returns}`
              return (
                <Section key={index} title={name}>
                  <Code
                    label={`signature ${index + 1} of ${name}`}
                    text={called.comment === null ? signature : `${signature}\n${called.comment}`}
                  />
                  {language !== 'TypeScript' && (
                    <Examples examples={functionExamples(schema, called, address)} language={language} />
                  )}
                </Section>
              )
            })}
        </>
      )}
    </Result>
  )
}

function Examples({ examples, language }: { examples: Example[]; language: Language }) {
  return (
    <>
      {examples.map(({ title, supabase, curl }) => {
        const code = language === 'curl' ? curl : supabase
        return (
          code !== '' && (
            <Section key={title} title={title}>
              <Code label={title} text={code} />
            </Section>
          )
        )
      })}
    </>
  )
}
