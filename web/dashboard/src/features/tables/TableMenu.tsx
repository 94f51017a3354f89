import { useState } from 'react'
import { useNavigate } from 'react-router'
import { Menu, type MenuItem } from '@/components/Menu'
import { useReviewSql, type SqlChange } from '@/components/ReviewSql'
import { copyText } from '@/lib/clipboard'
import { useMay } from '@/lib/session'
import { asSql, asSupabase } from './copy-as'
import type { View } from './model'
import { RenameTable } from './RenameTable'
import { dropTable, enableRls, isTable, truncateTable, type Relation } from './table-sql'

interface TableMenuProps {
  table: Relation
  at: { x: number; y: number }
  /** Whether the page shows this table. If so, renaming or dropping the table changes the page's URL. */
  isCurrent: boolean
  onClose: () => void
}

const allRows: View = { filters: [], sort: [], as: null }

const address = ({ schema, name }: Pick<Relation, 'schema' | 'name'>) =>
  `/tables/${encodeURIComponent(schema)}/${encodeURIComponent(name)}`

/** Menu of a table in the list. Each change is shown as SQL before it runs. */
export function TableMenu({ table, at, isCurrent, onClose }: TableMenuProps) {
  const [isRenaming, setRenaming] = useState(false)
  const navigate = useNavigate()
  const groups = useGroups(table, {
    onRename: () => setRenaming(true),
    onDropped: () => {
      if (isCurrent) void navigate(`/tables/${encodeURIComponent(table.schema)}`, { replace: true })
    },
  })
  const onRenamed = (name: string) => {
    if (isCurrent) void navigate(address({ ...table, name }), { replace: true })
  }
  if (isRenaming) return <RenameTable table={table} onClose={onClose} onDone={onRenamed} />
  return <Menu label={`Actions of ${table.name}`} groups={groups} at={at} onClose={onClose} />
}

interface Effects {
  onRename: () => void
  onDropped: () => void
}

function useGroups(table: Relation, { onRename, onDropped }: Effects): MenuItem[][] {
  const navigate = useNavigate()
  const review = useReviewSql()
  const mayChange = useMay('developer')
  const { schema, name } = table
  const go = (label: string, to: string, state?: unknown): MenuItem => ({
    name: label,
    run: () => void navigate(to, { state }),
  })
  const change = (label: string, of: SqlChange, isDestructive = false): MenuItem => ({
    name: label,
    run: () => review(of),
    isDestructive,
  })
  const copy = (label: string, text: string, done: string): MenuItem => ({
    name: label,
    run: () => void copyText(text, done),
  })
  const places = [
    go('Open', address(table)),
    go('Structure', `${address(table)}?show=structure`),
    ...(isTable(table) ? [go('Policies', `/policies?${new URLSearchParams({ schema, find: name })}`)] : []),
    go('Diagram', `/diagram?${new URLSearchParams({ schema })}`),
    ...(mayChange ? [go('select * in SQL', '/sql', { sql: asSql(schema, name, allRows) })] : []),
  ]
  const copies = [
    copy('Copy the name', name, 'The name is copied'),
    copy('Copy as supabase-js', asSupabase(schema, name, allRows), 'The code is copied'),
  ]
  if (!mayChange) return [places, copies]
  const changes = [
    ...(isTable(table) && !table.rls ? [change('Enable row-level security', enableRls(table))] : []),
    { name: 'Rename', run: onRename, isReplaced: true },
  ]
  const removals = [
    ...(isTable(table) ? [change('Truncate', truncateTable(table), true)] : []),
    change('Drop', { ...dropTable(table), onDone: onDropped }, true),
  ]
  return [places, copies, changes, removals]
}
