import { expect, it } from 'vitest'
import { isOver, overdue } from './due'
import type { Season } from './queries/list-seasons'

const season = (name: string, values: Partial<Season>): Season => ({
  id: name,
  name,
  event_on: '2025-11-13',
  ends_at: '2025-11-14T00:00:00Z',
  due_on: '2026-02-13',
  opens_on: null,
  opens_at: null,
  deadline_on: null,
  closes_at: null,
  event_time: null,
  ages_on: null,
  deleted_at: null,
  created_at: '2025-01-01T00:00:00Z',
  updated_at: '2025-01-01T00:00:00Z',
  ...values,
})

it('lists seasons from the day on that are not deleted, the oldest first', () => {
  const seasons = [
    season('new', {}),
    season('old', { due_on: '2025-02-13' }),
    season('deleted', { due_on: '2024-02-13', deleted_at: '2024-03-01T00:00:00Z' }),
  ]
  expect(overdue(seasons, new Date('2026-02-12T12:00:00Z')).map(({ name }) => name)).toEqual(['old'])
  expect(overdue(seasons, new Date('2026-02-13T00:30:00Z')).map(({ name }) => name)).toEqual(['old', 'new'])
})

it('offers the deletion of a season after its event', () => {
  expect(isOver(season('a', {}), new Date('2025-11-13T23:00:00Z'))).toBe(false)
  expect(isOver(season('a', {}), new Date('2025-11-14T00:00:00Z'))).toBe(true)
})
