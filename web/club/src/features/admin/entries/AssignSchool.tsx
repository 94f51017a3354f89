import { useQuery } from '@tanstack/react-query'
import { Button } from '@cloch/ui/components/button'
import { schoolsQuery } from '../schools/queries/list-schools'
import type { Award } from '../shared/award'
import { comparable } from '../shared/comparable'
import { useAssignSchool } from './queries/assign-school'

/** The school that most entries without one come from. */
const usual = "St Columba's"

/** Gives the usual school to every entry of the award that has none. */
export function AssignSchool({ award }: { award: Award }) {
  const { data: schools } = useQuery(schoolsQuery)
  const { mutate, isPending } = useAssignSchool()
  const school = schools?.find(({ name }) => comparable(name).startsWith(comparable(usual)))
  return (
    <Button
      size="sm"
      variant="outline"
      disabled={isPending || !school}
      title={schools && !school ? `There is no school named ${usual} yet` : undefined}
      onClick={() => (school ? mutate({ award, school }) : undefined)}
    >
      {isPending ? 'Assigning...' : `Assign All to ${usual}`}
    </Button>
  )
}
