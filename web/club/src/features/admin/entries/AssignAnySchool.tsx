import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Field } from '@/components/form/Field'
import { Button } from '@cloch/ui/components/button'
import {
  Dialog,
  DialogBody,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@cloch/ui/components/dialog'
import { NativeSelect } from '@cloch/ui/components/native-select'
import { schoolsQuery } from '../schools/queries/list-schools'
import { awardNames, type Award } from '../shared/award'
import { useAssignSchool } from './queries/assign-school'

interface AssignAnySchoolProps {
  award: Award
  /** Ids of the entries in this group, which have no school. */
  entries: readonly string[]
}

/** Assigns a school from the club's list to the entries that have no school. */
export function AssignAnySchool({ award, entries }: AssignAnySchoolProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="sm" variant="outline" onClick={() => setOpen(true)}>
        Assign a school
      </Button>
      {isOpen ? <SchoolChoice award={award} entries={entries} onClose={() => setOpen(false)} /> : null}
    </>
  )
}

function SchoolChoice({ award, entries, onClose }: AssignAnySchoolProps & { onClose: () => void }) {
  const { data: schools = [] } = useQuery(schoolsQuery)
  const { mutate, isPending } = useAssignSchool()
  const [chosen, setChosen] = useState('')
  const school = schools.find(({ id }) => id === chosen)
  return (
    <Dialog open onOpenChange={(open) => (open ? undefined : onClose())}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>Assign a school</DialogTitle>
          <DialogDescription>
            {entries.length === 1 ? 'To the entry' : `To the ${entries.length} entries`} under {awardNames[award].heading}{' '}
            without one. For a single entry, open it and choose Edit.
          </DialogDescription>
        </DialogHeader>
        <DialogBody>
          <Field name="assigned-school" label="School" error={undefined}>
            {(control) => (
              <NativeSelect {...control} value={chosen} onChange={(event) => setChosen(event.target.value)}>
                <option value="">Please choose</option>
                {schools.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </NativeSelect>
            )}
          </Field>
        </DialogBody>
        <DialogFooter>
          <Button
            disabled={!school || isPending}
            aria-busy={isPending}
            onClick={() => (school ? mutate({ award, school, entries }, { onSuccess: onClose }) : undefined)}
          >
            {isPending ? 'Assigning...' : 'Assign'}
          </Button>
          <Button variant="outline" onClick={onClose}>
            Cancel
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
