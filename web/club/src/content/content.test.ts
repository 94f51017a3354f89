import { describe, expect, it } from 'vitest'
import { getContent } from '@/lib/site-content'
import { artistPage, citizenPage, musicianPage, photographerPage } from './award-pages'
import { awards, season } from './awards'
import { isHere, leadsTo, navigation } from './navigation'
import { privacyNotice } from './privacy'

describe('navigation', () => {
  it('marks home on an exact match only, other items by the start of the path', () => {
    expect(leadsTo('/', '/')).toBe(true)
    expect(leadsTo('/', '/about')).toBe(false)
    expect(leadsTo('/about', '/about')).toBe(true)
    expect(leadsTo('/events', '/events/2025')).toBe(true)
    expect(leadsTo('/youth', '/youth-awards')).toBe(false)
  })

  it('marks an item while one of its child pages is shown', () => {
    const marked = (pathname: string) => navigation.filter((item) => isHere(item, pathname)).map(({ href }) => href)
    expect(marked('/young-artist')).toEqual(['/youth-awards'])
    expect(marked('/club-history')).toEqual(['/about'])
    expect(marked('/youth')).toEqual([])
  })

  it('contains the site’s menu', () => {
    expect(navigation.map(({ name, href }) => `${name} ${href}`)).toEqual([
      'Home /',
      'About Us /about',
      'Events /events',
      'Get Involved /get-involved',
      'Corporate Membership /corporate-membership',
      'Youth Awards /youth-awards',
      'Awards Uploads /awards-uploads',
    ])
    expect(navigation[5]?.children?.map(({ href }) => href)).toEqual(awards.map(({ href }) => href))
  })
})

describe('the first speaker schedule', () => {
  const rows = getContent().speakers.flatMap((group) => group.rows)

  it('runs from 14 August 2025 to 21 May 2026, by month', () => {
    expect(rows[0]?.date).toBe('14 August 2025')
    expect(rows.at(-1)?.date).toBe('21 May 2026')
    expect(getContent().speakers[0]?.month).toBe('August 2025')
  })

  it('is on Thursdays, in order, and every evening has a description', () => {
    const dates = rows.map(({ date }) => new Date(`${date} 12:00 UTC`))
    expect(dates.every((date) => date.getUTCDay() === 4)).toBe(true)
    expect(dates.map(Number)).toEqual(dates.map(Number).toSorted((a, b) => a - b))
    expect(rows.every(({ speaker, notes }) => speaker + notes !== '')).toBe(true)
  })
})

it('does not refer to a part of a form in the privacy notice, which is also shown outside of forms', () => {
  expect(privacyNotice).toContain('The entrant’s name and image may be used for publicity, with your consent.')
  expect(privacyNotice.join(' ')).not.toMatch(/\b(above|below)\b/)
})

describe('events and awards', () => {
  it('announces only events that exist', () => {
    const { events, home, featured } = getContent()
    expect(home.every(({ slug }) => events.some((event) => event.slug === slug))).toBe(true)
    expect(featured).toEqual(events.filter((event) => event.isFeatured))
    expect(featured).toHaveLength(1)
  })

  it('has the subject and the prices of the anniversary cruise', () => {
    const cruise = getContent().events.find(({ slug }) => slug === 'anniversary-cruise')
    expect(cruise?.rsvpSubject).toBe('RSVP – 50th Anniversary Celebration (Queen Anne Cruise)')
    expect(cruise?.description).toContain('£108')
    expect(cruise?.description).toContain('£120')
    expect(cruise?.description).toContain('1 September')
  })

  it('has the season’s dates', () => {
    expect(season).toMatchObject({ opens: 'August', deadline: '31st October', ceremony: '13th November' })
  })

  it.each([
    [citizenPage, [2024, 2023, 2022], 'Back to Young Citizen Awards', 'Submit a Nomination'],
    [musicianPage, [2023, 2022], 'Back to Young Musician Awards', 'Submit an Entry'],
    [photographerPage, [2023, 2022], 'Back to Young Photographer Awards', 'Submit Nomination'],
    [artistPage, [2023, 2022], 'Back to Young Artist Awards', 'Submit Nomination'],
  ])('has winners, criteria and buttons of each award', (page, years, back, submit) => {
    expect(page.winners.map(({ year }) => year)).toEqual(years)
    expect(page.criteria).toHaveLength(4)
    expect(page.back).toBe(back)
    expect(page.submit).toBe(submit)
  })
})
