import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { EntryDialog } from '../entries/detail/EntryDialog'
import { allEntries, countEntries, findEntry } from '../entries/submissions'
import { useSubmissions } from '../entries/use-submissions'
import { useEmailAll } from '../export-all/email-all'
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
  const submissions = useSubmissions()
  const emailAll = useEmailAll()
  const view = useCallback((id: string) => setValues({ entry: id }, { push: true }), [setValues])
  const logoutEverywhere = useCallback(() => onLogout('global'), [onLogout])
  usePreparedTabs(countEntries(submissions) !== undefined)
  useLive()
  useSearchKey()
  return (
    <div className="text-base leading-normal">
      <AdminHeader
        email={email}
        total={countEntries(submissions)}
        sending={emailAll.isPending}
        onEmailAll={() => emailAll.mutate(allEntries(submissions))}
        onLogout={() => onLogout('local')}
      />
      <main>
        <DashboardTabs tab={tab} onTab={showTab} counts={tabCounts(submissions)}>
          <TabPanel tab={tab} submissions={submissions} onView={view} onLogoutEverywhere={logoutEverywhere} />
        </DashboardTabs>
      </main>
      <EntryDialog
        entry={findEntry(submissions, value('entry'))}
        submissions={submissions}
        onClose={() => setValues({ entry: undefined })}
      />
    </div>
  )
}

/** Milliseconds after the first tab stands: it has been drawn by then. */
const restMs = 500

/** Reads what the other tabs show, once the first one stands. */
function usePreparedTabs(stands: boolean) {
  const queries = useQueryClient()
  useEffect(() => {
    if (!stands) return
    const timer = window.setTimeout(() => beginOtherQueries(queries), restMs)
    return () => window.clearTimeout(timer)
  }, [stands, queries])
}
