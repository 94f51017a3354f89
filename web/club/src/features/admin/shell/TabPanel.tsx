import { memo } from 'react'
import { ChecklistList } from '../checklist/ChecklistList'
import { ContactManagement } from '../contacts/ContactManagement'
import { AwardPanel } from '../entries/AwardPanel'
import type { Submissions } from '../entries/submissions'
import { GuestList } from '../guests/GuestList'
import { JudgeList } from '../judges/JudgeList'
import { PeoplePanel } from '../people/PeoplePanel'
import type { TabName } from '../shared/tab-list'
import { SummaryPanel } from '../summary/SummaryPanel'
import { WebsitePanel } from '../website/WebsitePanel'

interface TabPanelProps {
  tab: TabName
  submissions: Submissions
  onView: (id: string) => void
  onLogoutEverywhere: () => void
}

/** The content of the active tab. The content reads its other parameters from the URL. */
export const TabPanel = memo(function TabPanel({ tab, submissions, onView, onLogoutEverywhere }: TabPanelProps) {
  switch (tab) {
    case 'summary':
      return <SummaryPanel submissions={submissions} />
    case 'contacts':
      return <ContactManagement />
    case 'judges':
      return <JudgeList />
    case 'checklist':
      return <ChecklistList />
    case 'guests':
      return <GuestList />
    case 'website':
      return <WebsitePanel />
    case 'people':
      return <PeoplePanel onLogoutEverywhere={onLogoutEverywhere} />
    default:
      return <AwardPanel key={tab} award={tab} submissions={submissions} onView={onView} />
  }
})
