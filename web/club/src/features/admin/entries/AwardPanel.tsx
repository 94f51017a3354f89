import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { entrySheet } from '../export/entry-sheet'
import { ExportButton } from '../export/ExportButton'
import { Empty } from '../frame/Empty'
import { LoadFailed } from '../frame/LoadFailed'
import { Loading } from '../frame/Loading'
import { PanelHeading } from '../frame/PanelHeading'
import { useAddressText } from '../frame/use-address-text'
import { useDashboardAddress } from '../frame/use-dashboard-address'
import { AssignSchool } from './AssignSchool'
import { awardNames, type Award } from './award'
import { suspects } from './duplicates'
import type { Entry } from './entry'
import { EntryList } from './EntryList'
import { EntryTools } from './EntryTools'
import { OtherMatches } from './OtherMatches'
import { sharedFilesQuery } from './queries/shared-files'
import { searchEntries } from './search'
import { parseOrder, sortEntries } from './sort'
import { Suspected } from './suspected'
import type { Submissions } from './use-submissions'
import { useWarmSearch } from './use-warm-search'

interface AwardPanelProps {
  award: Award
  submissions: Submissions
  onView: (id: string) => void
}

/** The tab of an award. */
export function AwardPanel({ award, submissions, onView }: AwardPanelProps) {
  const address = useDashboardAddress()
  const [query, setQuery] = useAddressText('q')
  const order = parseOrder(address.value('order'))
  const entries: readonly Entry[] | undefined = submissions[award]
  // Typing stays quick: the list follows when there is time.
  const wanted = useDeferredValue(query)
  const shown = useMemo(() => sortEntries(searchEntries(entries ?? [], wanted), order), [entries, wanted, order])
  const assign = useMemo(
    () => (award === 'photographer' || award === 'artist' ? <AssignSchool award={award} /> : undefined),
    [award],
  )
  useWarmSearch(submissions)
  const { data: shared } = useQuery(sharedFilesQuery)
  const suspected = useMemo(() => suspects(entries ?? [], shared ?? []), [entries, shared])

  return (
    <>
      <PanelHeading title={awardNames[award].heading}>
        {entries && entries.length > 0 ? <ExportButton name={`${award}-entries`} sheet={() => entrySheet(shown)} /> : null}
      </PanelHeading>
      {submissions.failed ? <LoadFailed onRetry={submissions.retry}>Failed to fetch submissions</LoadFailed> : null}
      {!entries && !submissions.failed ? <Loading /> : null}
      {entries?.length === 0 ? <Empty>No submissions yet</Empty> : null}
      {entries && entries.length > 0 ? (
        <>
          <EntryTools
            query={query}
            onQuery={setQuery}
            order={order}
            onOrder={(next) => address.setValues({ order: next === 'newest' ? undefined : next })}
          />
          <OtherMatches award={award} submissions={submissions} query={wanted} found={shown.length} />
          <Suspected value={suspected}>
            <EntryList entries={shown} onView={onView} noSchoolAction={assign} />
          </Suspected>
        </>
      ) : null}
    </>
  )
}
