import { describe, expect, it } from 'vitest'
import firstContent from '@/content/first-content.json'
import type { SiteContent } from '@/lib/site-content'
import { siteChanges } from './site-changes'

const published = firstContent as SiteContent
const copy = () => structuredClone(published)

describe('what publishing will do', () => {
  it('is empty if nothing was changed', () => {
    expect(siteChanges(published, copy())).toEqual([])
  })

  it('lists items that appear, change and disappear, with the page', () => {
    const draft = copy()
    draft.texts.theme = 'Rain'
    // This is not counted as a change, because the season's dates are not published.
    draft.texts.deadline = '7th November'
    draft.partners.push({ name: 'A Bakery', text: 'Bread' })
    const [month] = draft.speakers
    const [evening] = month?.rows ?? []
    if (evening) evening.speaker = 'Tides'
    draft.home = draft.home.filter(({ slug }) => slug !== 'anniversary-cruise')
    expect(siteChanges(published, draft)).toEqual([
      { page: 'Young Artist', kind: 'changes', what: 'Theme: Rain' },
      { page: 'Home', kind: 'disappears', what: '50th Anniversary Celebration (Queen Anne Cruise)' },
      { page: 'Events, speakers', kind: 'changes', what: evening?.date },
      { page: 'Corporate membership', kind: 'appears', what: 'A Bakery' },
    ])
  })

  it('marks a past event', () => {
    const draft = copy()
    const dinner = draft.events.find(({ slug }) => slug === 'chartered-dinner')
    if (dinner) dinner.isPast = true
    expect(siteChanges(published, draft)).toEqual([
      { page: 'Events', kind: 'changes', what: 'Chartered Rotary Dinner: now says “Past”' },
    ])
  })

  it('reports another order, and distinguishes two items with the same name', () => {
    const draft = copy()
    draft.partners.reverse()
    draft.winners.artist.push({ year: 2023, text: 'Another' })
    expect(siteChanges(published, draft)).toEqual([
      { page: 'Young Artist', kind: 'appears', what: 'Winners of 2023 (2)' },
      { page: 'Corporate membership', kind: 'changes', what: 'Order of the list' },
    ])
  })
})
