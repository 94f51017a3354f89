import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useMemo } from 'react'
import { awardNames, type Award } from '../shared/award'
import { Empty } from '../shared/Empty'
import { ExportButton } from '../shared/ExportButton'
import { LoadFailed } from '../shared/LoadFailed'
import { Loading } from '../shared/Loading'
import { PanelHeading } from '../shared/PanelHeading'
import { useAddressText } from '../shared/use-address-text'
import { useDashboardAddress } from '../shared/use-dashboard-address'
import { StateMailsButton } from '../state-mails/StateMailsButton'
import { AssignAnySchool } from './AssignAnySchool'
import { AssignSchool } from './AssignSchool'
import { suspects } from './duplicates'
import type { Entry } from './entry'
import { entrySheet } from './entry-sheet'
import { EntryList } from './EntryList'
import { EntryTools } from './EntryTools'
import { OtherMatches } from './OtherMatches'
import { sharedFilesQuery } from './queries/shared-files'
import { searchEntries } from './search'
import { parseOrder, sortEntries } from './sort'
import type { Submissions } from './submissions'
import { Suspected } from './suspected'
import { useWarmSearch } from './use-warm-search'

interface AwardPanelProps {
  award: Award
  submissions: Submissions
  onView: (id: string) => void
}

/** Tab with the entries of an award. */
export function AwardPanel({ award, submissions, onView }: AwardPanelProps) {
  const address = useDashboardAddress()
  const [query, setQuery] = useAddressText('q')
  const order = parseOrder(address.value('order'))
  const entries: readonly Entry[] | undefined = submissions[award]
  // Deferred, so that the list is updated after the keystroke is shown and typing stays fast.
  const wanted = useDeferredValue(query)
  const shown = useMemo(() => sortEntries(searchEntries(entries ?? [], wanted), order), [entries, wanted, order])
  const withdrawn = useMemo(
    () =>
      searchEntries(
        submissions.withdrawn.filter((entry) => entry.award === award),
        wanted,
      ),
    [submissions.withdrawn, award, wanted],
  )
  const assign = useMemo(() => {
    const unassigned = shown.filter(({ school }) => !school).map(({ id }) => id)
    return (
      <div className="flex flex-wrap items-center gap-2.5">
        {award === 'photographer' || award === 'artist' ? <AssignSchool award={award} entries={unassigned} /> : null}
        <AssignAnySchool award={award} entries={unassigned} />
      </div>
    )
  }, [award, shown])
  useWarmSearch(submissions)
  const { data: shared } = useQuery(sharedFilesQuery)
  const suspected = useMemo(() => suspects(entries ?? [], shared ?? []), [entries, shared])

  return (
    <>
      <PanelHeading title={awardNames[award].heading}>
        {entries && entries.length > 0 ? (
          <>
            <StateMailsButton award={award} entries={entries} />
            <ExportButton name={`${award}-entries`} sheet={() => entrySheet(shown)} />
          </>
        ) : null}
      </PanelHeading>
      {submissions.failed ? <LoadFailed onRetry={submissions.retry}>Failed to fetch submissions</LoadFailed> : null}
      {!entries && !submissions.failed ? <Loading /> : null}
      {entries?.length === 0 && withdrawn.length === 0 && query === '' ? <Empty>No submissions yet</Empty> : null}
      {entries && entries.length + submissions.withdrawn.length > 0 ? (
        <>
          <EntryTools
            query={query}
            onQuery={setQuery}
            order={order}
            onOrder={(next) => address.setValues({ order: next === 'newest' ? undefined : next })}
          />
          <OtherMatches award={award} submissions={submissions} query={wanted} found={shown.length} />
          <Suspected value={suspected}>
            <EntryList entries={shown} withdrawn={withdrawn} onView={onView} noSchoolAction={assign} />
          </Suspected>
        </>
      ) : null}
    </>
  )
}
