import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from '@cloch/ui/components/button'
import { CeremonyPapers } from '../ceremony/CeremonyPapers'
import { entrySheet } from '../entries/entry-sheet'
import { allEntries, countEntries, type Submissions } from '../entries/submissions'
import { OfflineDialog } from '../offline/OfflineDialog'
import type { OfflineCount } from '../offline/queries/list-counts'
import { seasonsQuery } from '../seasons/queries/list-seasons'
import { isOf, useShownSeason } from '../seasons/season-view'
import { SeasonList } from '../seasons/SeasonList'
import { SeasonNotice } from '../seasons/SeasonNotice'
import { SeasonTotals } from '../seasons/SeasonTotals'
import { useSeasonDialogs } from '../seasons/use-season-dialogs'
import { awardNames } from '../shared/award'
import type { Sheet } from '../shared/csv'
import { Empty } from '../shared/Empty'
import { ExportButton } from '../shared/ExportButton'
import { LateLinks } from '../late-links/LateLinks'
import { Reminders } from '../reminders/Reminders'
import { LoadFailed } from '../shared/LoadFailed'
import { Loading } from '../shared/Loading'
import { PanelHeading } from '../shared/PanelHeading'
import { AwardTotals } from './AwardTotals'
import { ExtraFilesList } from './ExtraFilesList'
import { useMatchSchools } from './queries/match-schools'
import { awardTotals, schoolTotals } from './school-totals'
import { SchoolLedger } from './SchoolLedger'
import { usePaperCounts } from './use-paper-counts'
import { WithoutSchool } from './WithoutSchool'

/** Summary of all entries by school and award. */
export function SummaryPanel({ submissions }: { submissions: Submissions }) {
  const offline = usePaperCounts(submissions)
  const seasons = useQuery(seasonsQuery)
  const season = useSeasonDialogs()
  const match = useMatchSchools()
  const [counting, setCounting] = useState(false)
  const shown = useShownSeason()
  const counts = useMemo(() => (offline.data ?? []).filter(({ created_at }) => isOf(shown, created_at)), [offline.data, shown])
  const schools = useMemo(() => schoolTotals(submissions, counts), [submissions, counts])

  return (
    <>
      <PanelHeading title="Summary">
        <Button size="sm" variant="outline" disabled={match.isPending} onClick={() => match.mutate()}>
          <RefreshCw aria-hidden />
          {match.isPending ? 'Updating...' : 'Update schools'}
        </Button>
        <ExportButton name="all-entries" sheet={() => entrySheet(allEntries(submissions))}>
          Export all entries
        </ExportButton>
        <Button size="sm" variant="outline" onClick={() => setCounting(true)}>
          Offline submissions
        </Button>
        <ExportButton name="offline-counts" sheet={() => offlineSheet(counts)}>
          Export counts
        </ExportButton>
      </PanelHeading>
      {offline.failed ? <LoadFailed onRetry={offline.retry}>Failed to fetch submissions</LoadFailed> : null}
      {seasons.isError ? <LoadFailed onRetry={() => void seasons.refetch()}>Failed to load the seasons</LoadFailed> : null}
      {seasons.data ? (
        <SeasonNotice
          seasons={seasons.data}
          hasEntries={(countEntries(submissions) ?? 0) > 0}
          onAdd={season.add}
          onDelete={season.remove}
        />
      ) : null}
      <AwardTotals counts={awardTotals(submissions, counts)} />
      <h2 className="mb-4 text-[1.375rem] leading-tight">School Submissions Overview</h2>
      {!offline.isLoaded && !offline.failed ? <Loading /> : null}
      {offline.isLoaded && schools.length === 0 ? <Empty>No submissions yet</Empty> : null}
      {schools.length > 0 ? <SchoolLedger schools={schools} /> : null}
      <WithoutSchool submissions={submissions} />
      <ExtraFilesList submissions={submissions} />
      <CeremonyPapers submissions={submissions} />
      {seasons.data ? (
        <SeasonList seasons={seasons.data} onAdd={season.add} onEdit={season.edit} onDelete={season.remove} />
      ) : null}
      {seasons.data ? <Reminders seasons={seasons.data} /> : null}
      {seasons.data ? <LateLinks seasons={seasons.data} /> : null}
      <SeasonTotals />
      {season.dialog}
      <OfflineDialog open={counting} onClose={() => setCounting(false)} />
    </>
  )
}

function offlineSheet(counts: readonly OfflineCount[]): Sheet {
  return counts.map(({ schools, category, count, notes }) => ({
    school: schools?.name,
    category: awardNames[category].short,
    count,
    notes,
  }))
}
