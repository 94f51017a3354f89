import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { ConfirmDialog } from '@/components/ConfirmDialog'
import { Button } from '@cloch/ui/components/button'
import { schoolsQuery } from '../schools/queries/list-schools'
import type { Award } from '../shared/award'
import { comparable } from '../shared/comparable'
import { useAssignSchool } from './queries/assign-school'

/** Most of the entries without a school come from this school. */
const usual = "St Columba's"

interface AssignSchoolProps {
  award: Award
  /** Ids of the entries in this group, which have no school. */
  entries: readonly string[]
}

/** Assigns the most common school to the entries that have no school, after a confirmation. */
export function AssignSchool({ award, entries }: AssignSchoolProps) {
  const count = entries.length
  const id = useId()
  const { data: schools } = useQuery(schoolsQuery)
  const { mutate, isPending } = useAssignSchool()
  const [isAsking, setAsking] = useState(false)
  const school = schools?.find(({ name }) => comparable(name).startsWith(comparable(usual)))
  const isMissing = schools !== undefined && !school
  return (
    <>
      <Button
        size="sm"
        variant="outline"
        disabled={isPending || !school}
        aria-describedby={isMissing ? id : undefined}
        onClick={() => setAsking(true)}
      >
        {isPending ? 'Assigning...' : `Assign All to ${usual}`}
      </Button>
      {isMissing ? (
        <p id={id} className="text-small text-muted-foreground">
          There is no school named {usual} yet.
        </p>
      ) : null}
      {school ? (
        <ConfirmDialog
          open={isAsking}
          title={`Assign all to ${usual}?`}
          confirm={count === 1 ? 'Assign 1 entry' : `Assign ${count} entries`}
          variant="default"
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            mutate({ award, school, entries })
          }}
        >
          {count === 1 ? 'The entry' : `The ${count} entries`} without a school will belong to {school.name}, also where another
          school was meant. Right afterwards you can undo it.
        </ConfirmDialog>
      ) : null}
    </>
  )
}
