import { Tabs, TabsContent, TabsList, TabsTrigger } from '@cloch/ui/components/tabs'
import { PanelHeading } from '../shared/PanelHeading'
import { useDashboardAddress } from '../shared/use-dashboard-address'
import { PublishBar } from './PublishBar'
import { ResultsList } from './ResultsList'
import { SiteList } from './SiteList'
import { siteTables } from './site-tables'
import { SiteTexts } from './SiteTexts'

const parts = ['season', 'events', 'speakers', 'winners', 'results', 'partners', 'chapters', 'figures', 'corporate'] as const

/** For each part, the path of the page that shows it. */
const pages: Record<(typeof parts)[number], string> = {
  season: '/youth-awards',
  events: '/events',
  speakers: '/events#speakers',
  winners: '/young-citizen',
  results: '/results',
  partners: '/corporate-membership',
  chapters: '/club-history',
  figures: '/about',
  corporate: '/corporate-membership',
}

/** The content of the website that changes with the season. The user can edit it, see a preview and publish it. */
export function WebsitePanel() {
  const { value, setValues } = useDashboardAddress()
  const part = parts.find((name) => name === value('part')) ?? 'season'
  return (
    <>
      <PanelHeading title="Website" subtitle="What visitors read: nothing changes for them until you publish" />
      <PublishBar page={pages[part]} />
      <Tabs value={part} onValueChange={(name) => setValues({ part: name })}>
        <TabsList aria-label="Website">
          {parts.map((name) => (
            <TabsTrigger key={name} value={name}>
              {titleOf(name)}
            </TabsTrigger>
          ))}
        </TabsList>
        <TabsContent value={part} tabIndex={-1}>
          <h2 className="sr-only">{titleOf(part)}</h2>
          <Part part={part} />
        </TabsContent>
      </Tabs>
    </>
  )
}

function titleOf(part: (typeof parts)[number]): string {
  if (part === 'season') return 'Season'
  return part === 'results' ? 'Results' : siteTables[part].title
}

function Part({ part }: { part: (typeof parts)[number] }) {
  if (part === 'season') return <SiteTexts />
  return part === 'results' ? <ResultsList /> : <SiteList key={part} site={siteTables[part]} />
}
