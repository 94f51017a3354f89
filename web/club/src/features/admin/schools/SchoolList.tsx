import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { Empty } from '../shared/Empty'
import { ListState, type PartProps } from '../shared/ListState'
import { emailLink, phoneLink } from '../shared/contact-links'
import { RecordRow } from '../shared/RecordRow'
import { VirtualList } from '../shared/VirtualList'
import { schoolsQuery, type School } from './queries/list-schools'
import { SchoolForm } from './SchoolForm'

export function SchoolList({ onAdd, others }: PartProps) {
  const schools = useQuery(schoolsQuery)
  const [editing, setEditing] = useState<School>()
  return (
    <ListState query={schools} others={others} failed="Failed to load contact data">
      {(all) =>
        all.length === 0 ? (
          <Empty action={<Button onClick={onAdd}>Add School</Button>}>
            No schools yet. Add your first school to start tracking contacts.
          </Empty>
        ) : (
          <>
            <VirtualList
              items={all}
              keyOf={({ id }) => id}
              estimate={108}
              render={(school) => (
                <RecordRow name={school.name} onEdit={() => setEditing(school)}>
                  <SchoolFacts school={school} />
                </RecordRow>
              )}
            />
            {editing ? <SchoolForm school={editing} onClose={() => setEditing(undefined)} /> : null}
          </>
        )
      }
    </ListState>
  )
}

/** Location, e-mail address and phone number, and notes of a school. */
function SchoolFacts({ school }: { school: School }) {
  return (
    <>
      {school.location ? <p className="text-muted-foreground">{school.location}</p> : null}
      {school.email || school.phone ? (
        <p>
          {emailLink(school.email)}
          {school.email && school.phone ? ' | ' : null}
          {phoneLink(school.phone)}
        </p>
      ) : null}
      {school.notes ? <p className="whitespace-pre-line">{school.notes}</p> : null}
    </>
  )
}
