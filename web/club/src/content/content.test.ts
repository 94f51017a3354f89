import { describe, expect, it } from 'vitest'
import { artistPage, citizenPage, musicianPage, photographerPage } from './award-pages'
import { awards, season } from './awards'
import { events, upcoming } from './events'
import { isHere, leadsTo, navigation } from './navigation'
import { byMonth, shownSpeakers, speakers } from './speakers'

describe('navigation', () => {
  it('marks home on an exact match only, other items by the start of the path', () => {
    expect(leadsTo('/', '/')).toBe(true)
    expect(leadsTo('/', '/about')).toBe(false)
    expect(leadsTo('/about', '/about')).toBe(true)
    expect(leadsTo('/events', '/events/2025')).toBe(true)
    expect(leadsTo('/youth', '/youth-awards')).toBe(false)
  })

  it('marks an item while one of its children is shown', () => {
    const marked = (pathname: string) => navigation.filter((item) => isHere(item, pathname)).map(({ href }) => href)
    expect(marked('/young-artist')).toEqual(['/youth-awards'])
    expect(marked('/club-history')).toEqual(['/about'])
    expect(marked('/youth')).toEqual([])
  })

  it('holds the site’s menu', () => {
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

describe('speaker schedule', () => {
  it('runs from 14 August 2025 to 21 May 2026 in about 24 rows', () => {
    expect(speakers).toHaveLength(24)
    expect(speakers[0]?.date).toBe('14 August 2025')
    expect(speakers.at(-1)?.date).toBe('21 May 2026')
  })

  it('is on Thursdays, in order', () => {
    const dates = speakers.map(({ date }) => new Date(`${date} 12:00 UTC`))
    expect(dates.every((date) => date.getUTCDay() === 4)).toBe(true)
    expect(dates.map(Number)).toEqual(dates.map(Number).toSorted((a, b) => a - b))
  })

  it('hides evenings with neither speaker nor notes, and only those', () => {
    expect(shownSpeakers(speakers)).toHaveLength(speakers.filter((row) => row.speaker + row.notes !== '').length)
    expect(speakers.length - shownSpeakers(speakers).length).toBeGreaterThan(0)
    expect(shownSpeakers([{ date: '1 May 2026', speaker: '', notes: 'Outing' }])).toHaveLength(1)
  })

  it('is grouped by month without losing a row', () => {
    const groups = byMonth(speakers)
    expect(groups[0]).toMatchObject({ month: 'August 2025' })
    expect(groups.flatMap(({ rows }) => rows)).toEqual(speakers)
  })
})

describe('events and awards', () => {
  it('announces events that exist', () => {
    expect(upcoming.every((slug) => events.some((event) => event.slug === slug))).toBe(true)
    expect(events.filter((event) => event.featured)).toHaveLength(1)
  })

  it('has the subject and the prices of the anniversary cruise', () => {
    const cruise = events.find(({ slug }) => slug === 'anniversary-cruise')
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
