import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ConfirmDialog } from '@/components/ConfirmDialog'
import { Button } from '@cloch/ui/components/button'
import { schoolsQuery } from '../schools/queries/list-schools'
import type { Award } from '../shared/award'
import { comparable } from '../shared/comparable'
import { useAssignSchool } from './queries/assign-school'

/** The school that most entries without one come from. */
const usual = "St Columba's"

/** Gives the usual school to every entry of the award that has none, after a question. */
export function AssignSchool({ award, count }: { award: Award; count: number }) {
  const { data: schools } = useQuery(schoolsQuery)
  const { mutate, isPending } = useAssignSchool()
  const [isAsking, setAsking] = useState(false)
  const school = schools?.find(({ name }) => comparable(name).startsWith(comparable(usual)))
  return (
    <>
      <Button
        size="sm"
        variant="outline"
        disabled={isPending || !school}
        title={schools && !school ? `There is no school named ${usual} yet` : undefined}
        onClick={() => setAsking(true)}
      >
        {isPending ? 'Assigning...' : `Assign All to ${usual}`}
      </Button>
      {school ? (
        <ConfirmDialog
          open={isAsking}
          title={`Assign all to ${usual}?`}
          confirm={count === 1 ? 'Assign 1 entry' : `Assign ${count} entries`}
          variant="default"
          onCancel={() => setAsking(false)}
          onConfirm={() => {
            setAsking(false)
            mutate({ award, school })
          }}
        >
          {count === 1 ? 'The entry' : `The ${count} entries`} without a school will belong to {school.name}, also where another
          school was meant. Right afterwards you can undo it.
        </ConfirmDialog>
      ) : null}
    </>
  )
}
