import { useState } from 'react'
import { Badge } from '@cloch/ui/components/badge'
import { useReviewSql } from '@/components/ReviewSql'
import { Empty } from '@/components/states'
import { useCatalog, type DatabaseRole } from '@/lib/catalog'
import { ObjectPage } from './ObjectPage'
import { dropRole } from './role-sql'
import { RoleForm } from './RoleForm'
import { useActionsColumn } from './RowActions'

/** The roles of the project, followed by those of the platform, which cannot be changed. */
export function Roles() {
  const list = useCatalog('roles')
  const [open, setOpen] = useState<DatabaseRole | 'new'>()
  const review = useReviewSql()
  const actions = useActionsColumn<DatabaseRole>(
    ({ name }) => name,
    (one) =>
      one.platform
        ? []
        : [
            { name: 'Change', run: () => setOpen(one) },
            { name: 'Drop', run: () => review(dropRole(one)) },
          ],
  )
  return (
    <ObjectPage
      kind="roles"
      list={list}
      rowKey={({ name }) => name}
      words={({ name, member_of }) => [name, ...member_of].join(' ')}
      empty={<Empty title="There are no roles." />}
      add={{ label: 'New role', onClick: () => setOpen('new') }}
      columns={[
        {
          name: 'Role',
          className: 'font-strong sm:whitespace-nowrap',
          cell: ({ name, platform }) => (
            <span className="flex items-baseline gap-1.5 max-sm:flex-wrap">
              {name}
              {platform && <Badge>platform</Badge>}
            </span>
          ),
        },
        { name: 'Attributes', className: 'min-w-40', cell: (role) => attributesOf(role).join(', ') },
        { name: 'Member of', className: 'min-w-40', cell: ({ member_of }) => member_of.join(', ') },
        { name: 'Members', className: 'min-w-40', cell: ({ members }) => members.join(', ') },
        ...actions,
      ]}
    >
      {open !== undefined && (
        <RoleForm role={open === 'new' ? undefined : open} roles={list.data?.rows ?? []} onClose={() => setOpen(undefined)} />
      )}
    </ObjectPage>
  )
}

function attributesOf(role: DatabaseRole): string[] {
  const words = [
    role.superuser && 'superuser',
    role.login && 'login',
    !role.inherit && 'noinherit',
    role.createdb && 'createdb',
    role.createrole && 'createrole',
    role.replication && 'replication',
    role.bypassrls && 'bypassrls',
  ]
  return words.filter((word) => word !== false)
}
