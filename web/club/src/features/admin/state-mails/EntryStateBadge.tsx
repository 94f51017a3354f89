import { useQuery } from '@tanstack/react-query'
import { Badge } from '@cloch/ui/components/badge'
import { entryMailsQuery } from './queries/state-mails'
import { stateLabels, statesOf } from './states'

/** Shows the state of an entry, which is that of its last mail. Shows nothing if the entry got only the receipt. */
export function EntryStateBadge({ id }: { id: string }) {
  const { data: states } = useQuery({ ...entryMailsQuery, select: statesOf })
  const state = states?.get(id)
  return state ? <Badge className="self-center">{stateLabels[state]}</Badge> : null
}
