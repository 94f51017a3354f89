import { expect, it } from 'vitest'
import type { ArtistEntry } from '../entries/entry'
import type { Submissions } from '../entries/submissions'
import type { Season } from './queries/list-seasons'
import { isOf, openingView, seasonViews, submissionsOf } from './season-view'

const season = (name: string, ends_at: string, deleted_at: string | null = null) => ({ name, ends_at, deleted_at }) as Season
const now = Date.parse('2026-11-20T12:00:00Z')
const seasons = [
  season('2027', '2027-11-12T00:00:00Z'),
  season('2026', '2026-11-13T00:00:00Z'),
  season('2025', '2025-11-14T00:00:00Z'),
  season('2024', '2024-11-15T00:00:00Z', '2025-02-20T00:00:00Z'),
]
const entry = (id: string, createdAt: string) => ({ id, createdAt }) as ArtistEntry
const submissions = (...artist: ArtistEntry[]): Submissions => ({
  citizen: [],
  musician: [],
  photographer: [],
  artist,
  withdrawn: [],
  failed: false,
  retry: () => undefined,
})

it('shows the present season and past ones that are not deleted, each from the end of the previous one', () => {
  const views = seasonViews(seasons, now)
  expect(views.map(({ name }) => name)).toEqual(['2027', '2026', '2025'])
  expect(views[1]?.from).toBe(Date.parse('2025-11-14T00:00:00Z'))
  // The end of a deleted season is still the beginning of the season after it.
  expect(views[2]?.from).toBe(Date.parse('2024-11-15T00:00:00Z'))
  expect(isOf(views[0], '2026-11-13T00:00:00Z')).toBe(true)
  expect(isOf(views[0], '2026-11-12T23:59:59Z')).toBe(false)
})

it('has one season without a name if no season is set', () => {
  const [only, ...others] = seasonViews([], now)
  expect([only.name, others]).toEqual(['This season', []])
  expect(isOf(only, '1999-01-01T00:00:00Z')).toBe(true)
})

it('never mixes the entries of two seasons', () => {
  const all = submissions(entry('old', '2026-10-01T10:00:00Z'), entry('new', '2026-11-19T10:00:00Z'))
  const [present, before] = seasonViews(seasons, now)
  expect(submissionsOf(present, all).artist?.map(({ id }) => id)).toEqual(['new'])
  expect(before && submissionsOf(before, all).artist?.map(({ id }) => id)).toEqual(['old'])
})

it('opens the last season that has entries', () => {
  const views = seasonViews(seasons, now)
  expect(openingView(views, submissions(entry('old', '2026-10-01T10:00:00Z'))).name).toBe('2026')
  expect(openingView(views, submissions(entry('new', '2026-11-19T10:00:00Z'))).name).toBe('2027')
  expect(openingView(views, submissions()).name).toBe('2027')
})
