import { awardNames, awards, isAwardName, type Award } from './award'

export const tabNames = ['summary', ...awards, 'contacts', 'judges', 'checklist', 'guests', 'website', 'people'] as const
export type TabName = (typeof tabNames)[number]

const toolLabels = {
  summary: 'Summary',
  contacts: 'Contacts',
  judges: 'Judges',
  checklist: 'Checklist',
  guests: 'Invited Guests',
  website: 'Website',
  people: 'People',
}

/** The label of a tab. */
export function tabLabel(tab: TabName): string {
  return isAward(tab) ? awardNames[tab].short : toolLabels[tab]
}

export function isAward(tab: TabName): tab is Award {
  return isAwardName(tab)
}

/** The tab in the URL; the first one if the URL has none. */
export function parseTab(text: string | null): TabName {
  return tabNames.find((name) => name === text) ?? 'summary'
}
