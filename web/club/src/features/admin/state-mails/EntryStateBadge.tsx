import { useQuery } from '@tanstack/react-query'
import { Badge } from '@cloch/ui/components/badge'
import { entryMailsQuery } from './queries/state-mails'
import { stateLabels, statesOf } from './states'

/** The state of an entry by its last mail; nothing if it was only received. */
export function EntryStateBadge({ id }: { id: string }) {
  const { data: states } = useQuery({ ...entryMailsQuery, select: statesOf })
  const state = states?.get(id)
  return state ? <Badge className="self-center">{stateLabels[state]}</Badge> : null
}
