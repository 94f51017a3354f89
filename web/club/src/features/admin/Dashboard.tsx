import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { allEntries } from './entries/all-entries'
import { EntryDialog } from './entries/detail/EntryDialog'
import { findEntry } from './entries/find-entry'
import { useSubmissions } from './entries/use-submissions'
import { useEmailAll } from './export/queries/email-all'
import { beginOtherQueries } from './first-queries'
import { AdminHeader } from './frame/AdminHeader'
import { DashboardTabs } from './frame/DashboardTabs'
import { tabCounts, total } from './frame/tab-counts'
import { TabPanel } from './frame/TabPanel'
import { useDashboardAddress } from './frame/use-dashboard-address'
import { useSearchKey } from './frame/use-search-key'
import { useLive } from './live/use-live'

interface DashboardProps {
  email: string
  onLogout: () => void
}

export function Dashboard({ email, onLogout }: DashboardProps) {
  const { tab, showTab, value, setValues } = useDashboardAddress()
  const submissions = useSubmissions()
  const emailAll = useEmailAll()
  const view = useCallback((id: string) => setValues({ entry: id }, { push: true }), [setValues])
  usePreparedTabs(total(submissions) !== undefined)
  useLive()
  useSearchKey()
  return (
    <div className="text-base leading-normal">
      <AdminHeader
        email={email}
        total={total(submissions)}
        sending={emailAll.isPending}
        onEmailAll={() => emailAll.mutate(allEntries(submissions))}
        onLogout={onLogout}
      />
      <main>
        <DashboardTabs tab={tab} onTab={showTab} counts={tabCounts(submissions)}>
          <TabPanel tab={tab} submissions={submissions} onView={view} />
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
