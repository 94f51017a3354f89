import { useQuery } from '@tanstack/react-query'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { Button } from '@cloch/ui/components/button'
import { useAddressQuery } from '@cloch/ui/hooks/use-address-query'
import { DataTable } from '@/components/DataTable'
import { Page } from '@/components/Page'
import { RowButton } from '@/components/RowButton'
import { Empty, Result } from '@/components/states'
import { get } from '@/lib/api'
import { formatAgo } from '@/lib/format'
import { useMay } from '@/lib/session'
import { operatorsKey, type OperatorRow } from './contract'
import { InviteOperator } from './InviteOperator'
import { OperatorPanel } from './OperatorPanel'

/** Page with the operators, the people who may use this dashboard. Operators are not users of the project, and a user cannot become an operator. */
export function Component() {
  const isOwner = useMay('owner')
  const mayRead = useMay('developer')
  const [query, setQuery] = useAddressQuery()
  const [open, setOpen] = useState<string>()
  const operators = useQuery({
    queryKey: operatorsKey,
    queryFn: ({ signal }) => get<{ operators: OperatorRow[] }>('/operators', {}, signal),
    enabled: mayRead,
  })
  const chosen = operators.data?.operators.find(({ id }) => id === open)
  return (
    <Page
      title="Operators"
      lede="Who may use this dashboard. They are kept apart from the project’s users."
      actions={
        isOwner && (
          <Button size="compact" onClick={() => setQuery({ new: 'operator' }, { replace: true })}>
            <UserPlus aria-hidden />
            Invite an operator
          </Button>
        )
      }
    >
      {mayRead ? (
        <Result query={operators} what="the operators">
          {(data) => <OperatorTable operators={data.operators} isOwner={isOwner} onOpen={setOpen} />}
        </Result>
      ) : (
        <Empty title="Developers and owners see who the operators are." />
      )}
      {isOwner && query.get('new') === 'operator' && <InviteOperator onClose={() => setQuery({}, { replace: true })} />}
      {chosen && isOwner && <OperatorPanel key={chosen.id} operator={chosen} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

interface OperatorTableProps {
  operators: OperatorRow[]
  isOwner: boolean
  onOpen: (id: string) => void
}

function OperatorTable({ operators, isOwner, onOpen }: OperatorTableProps) {
  return (
    <DataTable
      label="Operators"
      rows={operators}
      rowKey={({ id }) => id}
      columns={[
        {
          name: 'Operator',
          className: 'min-w-44',
          // The name is empty until the operator has accepted the invitation.
          cell: ({ id, email, name, disabled }) => (
            <span className="flex flex-wrap items-center gap-2">
              {isOwner ? (
                <RowButton onClick={() => onOpen(id)}>{[name, email].find(Boolean)}</RowButton>
              ) : (
                [name, email].find(Boolean)
              )}
              {name && <span className="text-muted-foreground">{email}</span>}
              {disabled && <Badge tone="destructive">disabled</Badge>}
            </span>
          ),
        },
        { name: 'Role', cell: ({ role }) => role },
        {
          name: 'Second factor',
          cell: ({ totp }) => (totp ? <Badge tone="success">on</Badge> : <Badge>off</Badge>),
        },
        { name: 'Seen', className: 'whitespace-nowrap', cell: ({ last_seen_at }) => formatAgo(last_seen_at) },
        { name: 'Sessions', isNumber: true, cell: ({ sessions }) => sessions },
      ]}
    />
  )
}
