import type { UseQueryResult } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { cn } from '@cloch/ui/lib/cn'
import { AddressField } from '@/components/AddressField'
import { DataTable, type Column } from '@/components/DataTable'
import { FilterFields, Page } from '@/components/Page'
import { SchemaField } from '@/components/SchemaField'
import { Empty, Result } from '@/components/states'
import type { Listed } from '@/lib/catalog'
import { formatCount } from '@/lib/format'
import { useMay } from '@/lib/session'
import { kinds, type KindName } from './kinds'
import { usePlace } from './use-place'

/** Number of rows that are shown at first, and that are added each time. There is a limit because a schema may have thousands of objects. */
const step = 100

interface ObjectPageProps<Row> {
  kind: KindName
  list: UseQueryResult<Listed<Row>>
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string | number
  /** Returns the text of a row in which the search looks. */
  words: (row: Row) => string
  /** Shown if there are no objects. */
  empty: ReactNode
  /** The button that adds an object. It is shown only to operators who may change the project. */
  add?: { label: string; onClick: () => void }
  /** The dialogs that are open. */
  children?: ReactNode
}

/** The page for one kind of database objects. It contains the tabs of all kinds, the fields for schema and search, and the list. */
export function ObjectPage<Row>({ kind, list, columns, rowKey, words, empty, add, children }: ObjectPageProps<Row>) {
  const { schema, text, set } = usePlace()
  const mayChange = useMay('developer')
  const page = kinds.find((one) => one.kind === kind) ?? kinds[0]
  const wanted = text.toLowerCase()
  return (
    <Page
      title={page.title}
      lede={page.lede}
      actions={
        add &&
        mayChange && (
          <Button size="compact" onClick={add.onClick}>
            <Plus aria-hidden />
            {add.label}
          </Button>
        )
      }
    >
      <Tabs current={kind} schema={schema} />
      <FilterFields>
        {page.hasSchema && <SchemaField value={schema} onChange={(next) => set('schema', next)} className="sm:w-48" />}
        <AddressField label="Search" type="search" value={text} onChange={(next) => set('find', next)} className="sm:w-60" />
      </FilterFields>
      <Result query={list} what={page.name.toLowerCase()}>
        {({ rows, truncated }) => (
          <Rows
            key={`${schema} ${text}`}
            label={page.title}
            rows={rows.filter((row) => words(row).toLowerCase().includes(wanted))}
            isTruncated={truncated}
            columns={columns}
            rowKey={rowKey}
            empty={rows.length === 0 ? empty : <Empty title="No match." />}
          />
        )}
      </Result>
      {children}
    </Page>
  )
}

/** In a narrow window, the row of tabs scrolls, and begins with the current tab in sight. */
const scrolledIntoView = (tab: HTMLAnchorElement | null) => {
  const row = tab?.parentElement
  if (tab && row) row.scrollLeft = tab.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2
}

function Tabs({ current, schema }: { current: KindName; schema: string }) {
  return (
    <nav aria-label="Database objects" className="flex gap-x-1 overflow-x-auto border-b max-sm:-mx-4 max-sm:px-1">
      {kinds.map(({ kind, name }) => (
        <Link
          key={kind}
          ref={kind === current ? scrolledIntoView : undefined}
          to={{ pathname: `/database/${kind}`, search: schema === 'public' ? '' : `?${new URLSearchParams({ schema })}` }}
          aria-current={kind === current ? 'page' : undefined}
          className={cn(
            'border-b-6 border-transparent px-3 py-1 whitespace-nowrap text-foreground no-underline hover:bg-accent focus-visible:-outline-offset-3 pointer-coarse:py-2.5',
            kind === current && 'border-foreground font-bold',
          )}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

interface RowsProps<Row> {
  label: string
  rows: readonly Row[]
  isTruncated: boolean
  columns: readonly Column<Row>[]
  rowKey: (row: Row) => string | number
  empty: ReactNode
}

function Rows<Row>({ label, rows, isTruncated, columns, rowKey, empty }: RowsProps<Row>) {
  const [most, setMost] = useState(step)
  if (rows.length === 0) return empty
  return (
    <>
      <DataTable label={label} rows={rows.slice(0, most)} columns={columns} rowKey={rowKey} />
      {rows.length > most && (
        <div className="flex flex-wrap items-center gap-3">
          <Button variant="outline" size="compact" onClick={() => setMost(most + step)}>
            Show more
          </Button>
          <span className="text-muted-foreground">
            {formatCount(most)} of {formatCount(rows.length)} are shown.
          </span>
        </div>
      )}
      {isTruncated && <p className="text-muted-foreground">The schema has more objects than this page lists.</p>}
    </>
  )
}
