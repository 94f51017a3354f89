import { Plus, ShieldAlert, ShieldCheck } from 'lucide-react'
import { Link } from 'react-router'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { useReviewSql } from '@/components/ReviewSql'
import { DataTable } from '@/components/DataTable'
import { Section } from '@/components/Page'
import { useMay } from '@/lib/session'
import { qualified } from '@/lib/sql-text'
import { commands, type Cell, type Policy, type PolicyTable } from './contract'
import { MatrixCell } from './MatrixCell'
import { dropPolicy } from './policy-sql'

interface TableCardProps {
  table: PolicyTable
  roles: readonly string[]
  onEdit: (edited: string) => void
}

/** A table with its matrix of roles and commands, and its policies. */
export function TableCard({ table, roles, onEdit }: TableCardProps) {
  const edit = (policy?: string) =>
    onEdit([table.name, ...(policy === undefined ? [] : [policy])].map(encodeURIComponent).join('/'))
  const mayChange = useMay('developer')
  const isTable = table.kind !== 'view' && table.kind !== 'materialized'
  const same = isTable ? undefined : sameCell(table, roles)
  return (
    <Section
      title={table.name}
      actions={
        <div className="flex flex-wrap items-center gap-2">
          <Protection table={table} />
          <Link
            to={`/tables/${encodeURIComponent(table.schema)}/${encodeURIComponent(table.name)}`}
            className="text-small"
            aria-label={`Rows of ${table.name}`}
          >
            Rows
          </Link>
          {mayChange && isTable && (
            <Button variant="outline" size="compact" onClick={() => edit()}>
              <Plus aria-hidden />
              New policy
            </Button>
          )}
        </div>
      }
    >
      {same ? (
        <p className="flex flex-wrap items-baseline gap-x-2">
          <MatrixCell cell={same} isUnguarded={false} />
          <span className="text-muted-foreground">for every role and command</span>
        </p>
      ) : (
        <DataTable
          label={`Who may do what with ${table.name}`}
          rows={roles}
          rowKey={(role) => role}
          columns={[
            { name: 'Role', cell: (role) => <code>{role}</code> },
            ...commands.map((command) => ({
              name: command,
              // On a phone, two commands are beside each other, in columns of the same width.
              className: 'max-sm:basis-[calc(50%-0.5rem)]',
              cell: (role: string) => (
                <MatrixCell cell={table.matrix[role]?.[command]} isUnguarded={!table.rls && role !== 'service_role'} />
              ),
            })),
          ]}
        />
      )}
      {table.policies.length > 0 && <PolicyList table={table} onEdit={edit} />}
    </Section>
  )
}

/** The cell of a view whose cells are all the same: the rights are those of its tables. */
function sameCell({ matrix }: PolicyTable, roles: readonly string[]): Cell | undefined {
  const cells = roles.flatMap((role) => commands.map((command) => matrix[role]?.[command]))
  const [first] = cells
  return first && first.grant !== 'columns' && cells.every((cell) => cell?.access === first.access) ? first : undefined
}

/** Shows whether row-level security is on, with a button to enable it. */
function Protection({ table }: { table: PolicyTable }) {
  const review = useReviewSql()
  const mayChange = useMay('developer')
  if (table.kind === 'view' || table.kind === 'materialized') return <Badge>{table.kind}</Badge>
  if (table.rls)
    return (
      <Badge tone="success">
        <ShieldCheck aria-hidden />
        RLS on{table.forced ? ', forced' : ''}
      </Badge>
    )
  const turnOn = () =>
    review({
      title: `Turn on row-level security for ${table.name}`,
      sql: `alter table ${qualified(table.schema, table.name)} enable row level security;`,
      migration: `rls_${table.name}`.toLowerCase().replace(/[^a-z0-9_]/g, '_'),
      done: 'Row-level security is on',
    })
  return (
    <>
      <Badge tone="destructive">
        <ShieldAlert aria-hidden />
        RLS off
      </Badge>
      {mayChange && (
        <Button variant="outline" size="compact" onClick={turnOn}>
          Turn on
        </Button>
      )}
    </>
  )
}

function PolicyList({ table, onEdit }: { table: PolicyTable; onEdit: (policy: string) => void }) {
  const review = useReviewSql()
  const mayChange = useMay('developer')
  return (
    <DataTable
      label={`Policies of ${table.name}`}
      rows={table.policies}
      rowKey={({ name }) => name}
      columns={[
        {
          name: 'Policy',
          className: 'min-w-40 font-strong',
          cell: ({ name, permissive }) => (
            <>
              {name} {!permissive && <Badge tone="heather">restrictive</Badge>}
            </>
          ),
        },
        { name: 'For', cell: ({ command }) => command },
        { name: 'To', cell: ({ roles }) => roles.join(', ') },
        { name: 'Condition', className: 'min-w-64', cell: (policy) => <Conditions policy={policy} /> },
        {
          name: 'Change',
          isHeadHidden: true,
          hasButtons: true,
          cell: (policy) =>
            mayChange && (
              <>
                <Button variant="ghost" size="compact" aria-label={`Edit ${policy.name}`} onClick={() => onEdit(policy.name)}>
                  Edit
                </Button>
                <Button
                  variant="ghost"
                  size="compact"
                  aria-label={`Remove ${policy.name}`}
                  onClick={() => review(dropPolicy(table, policy))}
                >
                  Remove
                </Button>
              </>
            ),
        },
      ]}
    />
  )
}

const Conditions = ({ policy: { using, check } }: { policy: Policy }) => (
  <div className="grid gap-1">
    {using !== null && (
      <div>
        <span className="text-muted-foreground">using</span> <code>{using}</code>
      </div>
    )}
    {check !== null && (
      <div>
        <span className="text-muted-foreground">with check</span> <code>{check}</code>
      </div>
    )}
  </div>
)
