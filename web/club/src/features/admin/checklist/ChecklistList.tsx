import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Checkbox } from '@cloch/ui/components/checkbox'
import { BlockTable, type Column } from '../shared/BlockTable'
import type { Sheet } from '../shared/csv'
import { dueDate } from '../shared/due-date'
import { Empty } from '../shared/Empty'
import { ExportButton } from '../shared/ExportButton'
import { ListState } from '../shared/ListState'
import { PanelHeading } from '../shared/PanelHeading'
import { RowActions } from '../shared/RowActions'
import { ChecklistForm } from './ChecklistForm'
import { useDeleteItem } from './queries/delete-item'
import { checklistQuery, type ChecklistItem } from './queries/list-items'
import { useToggleItem } from './queries/toggle-item'

/** The tasks before the event. */
export function ChecklistList() {
  const checklist = useQuery(checklistQuery)
  const [editing, setEditing] = useState<ChecklistItem | 'new'>()
  const { mutate: toggle } = useToggleItem()
  const { mutate: remove } = useDeleteItem()
  const items = checklist.data ?? []
  const done = items.filter((item) => item.is_completed).length

  const columns: Column<ChecklistItem>[] = [
    {
      name: 'Done',
      before: true,
      cell: (item) => (
        <label className="grid size-11 cursor-pointer place-items-center">
          <span className="sr-only">Done: {item.item_name}</span>
          <Checkbox checked={item.is_completed} onChange={(event) => toggle({ id: item.id, done: event.target.checked })} />
        </label>
      ),
    },
    { name: 'Item', cell: (item) => item.item_name, lead: true },
    { name: 'Category', cell: ({ category }) => category ?? '-' },
    { name: 'Due Date', cell: ({ due_date }) => <span className="whitespace-nowrap">{dueDate(due_date)}</span> },
    { name: 'Notes', cell: ({ notes }) => notes ?? '-' },
    {
      name: 'Actions',
      corner: true,
      cell: (item) => <RowActions name={item.item_name} onEdit={() => setEditing(item)} onDelete={() => remove(item)} />,
    },
  ]

  return (
    <>
      <PanelHeading
        title="Event Checklist"
        subtitle={`Track items to order and tasks to complete (${done}/${items.length} complete)`}
      >
        <Button size="sm" onClick={() => setEditing('new')}>
          <Plus aria-hidden />
          Add Item
        </Button>
        <ExportButton name="checklist" sheet={() => checklistSheet(items)} />
      </PanelHeading>
      <ListState query={checklist} failed="Failed to load the checklist">
        {(all) =>
          all.length === 0 ? (
            <Empty>No items yet</Empty>
          ) : (
            <BlockTable
              label="Event Checklist"
              columns={columns}
              rows={all}
              isDone={(item) => item.is_completed}
              brief={briefly}
            />
          )
        }
      </ListState>
      {editing ? <ChecklistForm item={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} /> : null}
    </>
  )
}

/** Category, date and notes of an item on one line. Empty if it has none. */
function briefly({ category, due_date, notes }: ChecklistItem): string {
  return [due_date === null ? null : dueDate(due_date), category, notes].filter(Boolean).join(' · ')
}

function checklistSheet(items: readonly ChecklistItem[]): Sheet {
  return items.map(({ is_completed, item_name, category, due_date, notes }) => ({
    done: is_completed,
    item: item_name,
    category,
    due_date,
    notes,
  }))
}
