import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Empty } from '../shared/Empty'
import { ListState, type PartProps } from '../shared/ListState'
import { RecordRow } from '../shared/RecordRow'
import { VirtualList } from '../shared/VirtualList'
import { DepartmentForm } from './DepartmentForm'
import { departmentsQuery, type Department } from './queries/list-departments'

export function DepartmentList({ onAdd, others }: PartProps) {
  const departments = useQuery(departmentsQuery)
  const [editing, setEditing] = useState<Department>()
  return (
    <ListState query={departments} others={others} failed="Failed to load contact data">
      {(all) =>
        all.length === 0 ? (
          <Empty action={<Button onClick={onAdd}>Add Department</Button>}>No departments yet. Add your first department.</Empty>
        ) : (
          <>
            <VirtualList
              items={all}
              keyOf={({ id }) => id}
              estimate={84}
              render={(department) => (
                <RecordRow name={department.name} onEdit={() => setEditing(department)}>
                  <p className="text-muted-foreground">{department.schools?.name ?? 'Unknown School'}</p>
                  {department.notes ? <p className="whitespace-pre-line">{department.notes}</p> : null}
                </RecordRow>
              )}
            />
            {editing ? <DepartmentForm department={editing} onClose={() => setEditing(undefined)} /> : null}
          </>
        )
      }
    </ListState>
  )
}
