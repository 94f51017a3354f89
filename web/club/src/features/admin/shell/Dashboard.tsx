import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import { EntryDialog } from '../entries/detail/EntryDialog'
import { allEntries, countEntries, findEntry } from '../entries/submissions'
import { useSubmissions } from '../entries/use-submissions'
import { useEmailAll } from '../export-all/email-all'
import { SeasonPicker } from '../seasons/SeasonPicker'
import { ShownSeason, submissionsOf } from '../seasons/season-view'
import { useSeasonChoice } from '../seasons/use-season-choice'
import { useDashboardAddress } from '../shared/use-dashboard-address'
import { AdminHeader } from './AdminHeader'
import { DashboardTabs } from './DashboardTabs'
import { beginOtherQueries } from './first-queries'
import { tabCounts } from './tab-counts'
import { TabPanel } from './TabPanel'
import type { LogoutScope } from './use-admin-access'
import { useLive } from './use-live'
import { useSearchKey } from './use-search-key'

interface DashboardProps {
  email: string
  onLogout: (scope: LogoutScope) => void
}

export function Dashboard({ email, onLogout }: DashboardProps) {
  const { tab, showTab, value, setValues } = useDashboardAddress()
  const all = useSubmissions()
  const season = useSeasonChoice(all)
  const submissions = useMemo(() => submissionsOf(season.shown, all), [season.shown, all])
  const emailAll = useEmailAll()
  const view = useCallback((id: string) => setValues({ entry: id }, { push: true }), [setValues])
  const logoutEverywhere = useCallback(() => onLogout('global'), [onLogout])
  usePreparedTabs(countEntries(submissions) !== undefined)
  useLive()
  useSearchKey()
  return (
    <ShownSeason value={season.shown}>
      <div className="text-base leading-normal">
        <AdminHeader
          email={email}
          total={countEntries(submissions)}
          sending={emailAll.isPending}
          season={<SeasonPicker views={season.views} shown={season.shown} onShow={season.show} />}
          onEmailAll={() => emailAll.mutate(allEntries(submissions))}
          onLogout={() => onLogout('local')}
        />
        <main>
          <DashboardTabs tab={tab} onTab={showTab} counts={tabCounts(submissions)}>
            <TabPanel tab={tab} submissions={submissions} onView={view} onLogoutEverywhere={logoutEverywhere} />
          </DashboardTabs>
        </main>
        <EntryDialog
          entry={findEntry(all, value('entry'))}
          submissions={submissions}
          onClose={() => setValues({ entry: undefined })}
        />
      </div>
    </ShownSeason>
  )
}

/** Milliseconds to wait after the data of the first tab has been read. In this time, the tab is rendered. */
const restMs = 500

/** Reads the data of the other tabs when the first tab is shown. */
function usePreparedTabs(stands: boolean) {
  const queries = useQueryClient()
  useEffect(() => {
    if (!stands) return
    const timer = window.setTimeout(() => beginOtherQueries(queries), restMs)
    return () => window.clearTimeout(timer)
  }, [stands, queries])
}
