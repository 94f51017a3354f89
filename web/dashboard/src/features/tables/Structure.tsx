import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Button } from '@cloch/ui/components/button'
import { Code } from '@/components/Copy'
import { DataTable } from '@/components/DataTable'
import { EnumPanel } from '@/components/EnumPanel'
import { Section } from '@/components/Page'
import { useReviewSql } from '@/components/ReviewSql'
import { RowButton } from '@/components/RowButton'
import { formatBytes, formatCount } from '@/lib/format'
import type { Reference, TableColumn, TableDetail } from '@/lib/schema'
import { useMay } from '@/lib/session'
import { identifier, qualified } from '@/lib/sql-text'
import { ColumnPanel } from './ColumnPanel'
import { Publications } from './Publications'

/** The structure of a table: columns, constraints, indexes and so on, with buttons to add and drop them. */
export function Structure({ table }: { table: TableDetail }) {
  const mayChange = useMay('developer')
  const isTable = table.kind === 'table' || table.kind === 'partitioned'
  return (
    <div className="grid min-h-0 content-start gap-7 overflow-y-auto pr-1" tabIndex={0} role="region" aria-label="Structure">
      {table.comment !== null && <p className="max-w-[46em] text-muted-foreground">{table.comment}</p>}
      <Columns table={table} mayChange={mayChange && isTable} />
      {table.definition !== null && (
        <Section title="Query">
          <Code label="Query of the view" text={table.definition} />
        </Section>
      )}
      <References table={table} />
      {isTable && <Indexes table={table} mayChange={mayChange} />}
      {isTable && <Policies table={table} mayChange={mayChange} />}
      <Rest table={table} />
      {isTable && table.publications.length > 0 && <Publications table={table} mayChange={mayChange} />}
    </div>
  )
}

function Columns({ table, mayChange }: { table: TableDetail; mayChange: boolean }) {
  const [open, setOpen] = useState<TableColumn | 'new'>()
  return (
    <Section
      title="Columns"
      actions={
        mayChange && (
          <Button variant="outline" size="compact" onClick={() => setOpen('new')}>
            <Plus aria-hidden />
            Column
          </Button>
        )
      }
    >
      <DataTable
        label="Columns"
        rows={table.columns}
        rowKey={({ name }) => name}
        columns={[
          {
            name: 'Name',
            cell: ({ name }) => <span className={table.primary_key.includes(name) ? 'font-bold' : undefined}>{name}</span>,
          },
          { name: 'Type', cell: (column) => <Type column={column} mayChange={mayChange} /> },
          { name: 'Required', cell: ({ nullable }) => (nullable ? '' : 'yes') },
          {
            name: 'Default',
            cell: ({ default: value, identity, generated }) => {
              const text = identity === null ? (generated ? 'generated' : value) : `identity ${identity}`
              return text !== null && <code>{text}</code>
            },
          },
          { name: 'Comment', cell: ({ comment }) => comment },
          ...(mayChange
            ? [
                {
                  name: 'Change',
                  isHeadHidden: true,
                  hasButtons: true,
                  cell: (column: TableColumn) => (
                    <Button
                      variant="ghost"
                      size="compact"
                      aria-label={`Change column ${column.name}`}
                      onClick={() => setOpen(column)}
                    >
                      Change
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {open !== undefined && (
        <ColumnPanel table={table} column={open === 'new' ? undefined : open} onClose={() => setOpen(undefined)} />
      )}
    </Section>
  )
}

/** The type of a column. If the type is an enum, its name is a button that opens the enum's values. */
function Type({ column: { type, values, enum: of }, mayChange }: { column: TableColumn; mayChange: boolean }) {
  const [isOpen, setOpen] = useState(false)
  if (!of || !values || !mayChange) return <code title={values?.join(', ')}>{type}</code>
  return (
    <>
      <RowButton label={`Values of ${type}`} onClick={() => setOpen(true)}>
        <code title={values.join(', ')}>{type}</code>
      </RowButton>
      {isOpen && <EnumPanel type={of} values={values} onClose={() => setOpen(false)} />}
    </>
  )
}

function References({ table }: { table: TableDetail }) {
  const list = (references: Reference[], isOutgoing: boolean) =>
    references.map((reference) => (
      <li key={`${reference.table}.${reference.name}`} className="border-b py-1.5">
        <code>{(isOutgoing ? reference.columns : reference.referenced).join(', ')}</code>{' '}
        {isOutgoing ? 'refers to' : 'is referred to by'}{' '}
        <Link to={`/tables/${encodeURIComponent(reference.schema)}/${encodeURIComponent(reference.table)}`}>
          {reference.schema === table.schema ? reference.table : `${reference.schema}.${reference.table}`}
        </Link>{' '}
        <code>{(isOutgoing ? reference.referenced : reference.columns).join(', ')}</code>
      </li>
    ))
  if (table.foreign_keys.length + table.referenced_by.length === 0) return null
  return (
    <Section title="References">
      <ul>
        {list(table.foreign_keys, true)}
        {list(table.referenced_by, false)}
      </ul>
    </Section>
  )
}

function Indexes({ table, mayChange }: { table: TableDetail; mayChange: boolean }) {
  const review = useReviewSql()
  const add = () => {
    const column = table.columns[0]?.name ?? 'id'
    const sql = `create index on ${qualified(table.schema, table.name)} (${identifier(column)});`
    review({ title: `New index on ${table.name}`, sql, migration: `index_${fileName(table.name)}`, done: 'The index is there' })
  }
  return (
    <Section
      title="Indexes and constraints"
      actions={
        mayChange && (
          <Button variant="outline" size="compact" onClick={add}>
            <Plus aria-hidden />
            Index
          </Button>
        )
      }
    >
      <DataTable
        label="Indexes"
        rows={table.indexes}
        rowKey={({ name }) => name}
        columns={[
          { name: 'Name', cell: ({ name, valid }) => (valid ? name : `${name} (not valid)`) },
          {
            name: 'Definition',
            cell: ({ definition }) => <code>{definition.replace(/^create (unique )?index .*? using /i, '')}</code>,
          },
          { name: 'Kind', cell: ({ primary, unique }) => (primary ? 'primary key' : unique ? 'unique' : '') },
          { name: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
          { name: 'Used', isNumber: true, cell: ({ scans }) => formatCount(scans) },
        ]}
      />
      {table.constraints.length > 0 && (
        <DataTable
          label="Constraints"
          rows={table.constraints}
          rowKey={({ name }) => name}
          columns={[
            { name: 'Name', cell: ({ name }) => name },
            { name: 'Kind', cell: ({ type }) => type },
            { name: 'Definition', cell: ({ definition }) => <code>{definition}</code> },
          ]}
        />
      )}
    </Section>
  )
}

function Policies({ table, mayChange }: { table: TableDetail; mayChange: boolean }) {
  const review = useReviewSql()
  const name = qualified(table.schema, table.name)
  const place = { schema: table.schema, find: table.name }
  const toggle = () =>
    review({
      title: table.rls ? `Switch row-level security of ${table.name} off` : `Switch row-level security of ${table.name} on`,
      sql: `alter table ${name} ${table.rls ? 'disable' : 'enable'} row level security;`,
      migration: `${table.rls ? 'disable' : 'enable'}_rls_${fileName(table.name)}`,
    })
  const actions = mayChange && (
    <div className="flex gap-2">
      <Button variant="outline" size="compact" onClick={toggle}>
        {table.rls ? 'Switch RLS off' : 'Switch RLS on'}
      </Button>
      <Button variant="outline" size="compact" asChild>
        <Link to={`/policies?${new URLSearchParams({ ...place, edit: encodeURIComponent(table.name) })}`}>
          <Plus aria-hidden />
          Policy
        </Link>
      </Button>
    </div>
  )
  return (
    <Section title="Policies" actions={actions}>
      <p className="text-muted-foreground">
        Row-level security is {table.rls ? 'on' : 'off'}
        {table.rls && table.policies.length === 0 && ': without a policy only the secret key sees rows'}.{' '}
        <Link to={`/policies?${new URLSearchParams(place)}`}>Who may do what with {table.name}</Link>
      </p>
      {table.policies.length > 0 && (
        <DataTable
          label="Policies"
          rows={table.policies}
          rowKey={(policy) => policy.name}
          columns={[
            { name: 'Name', cell: (policy) => policy.name },
            { name: 'For', cell: ({ command, permissive }) => `${command}${permissive ? '' : ', restrictive'}` },
            { name: 'Roles', cell: ({ roles }) => roles.join(', ') },
            { name: 'Using', cell: ({ using }) => using !== null && <code>{using}</code> },
            { name: 'Check', cell: ({ check }) => check !== null && <code>{check}</code> },
          ]}
        />
      )}
    </Section>
  )
}

function Rest({ table }: { table: TableDetail }) {
  return (
    <>
      {table.triggers.length > 0 && (
        <Section title="Triggers">
          <DataTable
            label="Triggers"
            rows={table.triggers}
            rowKey={({ name }) => name}
            columns={[
              { name: 'Name', cell: ({ name, enabled }) => (enabled ? name : `${name} (off)`) },
              { name: 'Definition', cell: ({ definition }) => <code>{definition}</code> },
            ]}
          />
        </Section>
      )}
      <Section title="Grants">
        <DataTable
          label="Grants"
          rows={table.grants}
          rowKey={({ role }) => role}
          columns={[
            { name: 'Role', cell: ({ role }) => role },
            { name: 'May', cell: ({ privileges }) => privileges.join(', ').toLowerCase() },
          ]}
        />
      </Section>
    </>
  )
}

const fileName = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
