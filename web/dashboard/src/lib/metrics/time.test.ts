import { expect, test } from 'vitest'
import { axisFrom, ticks } from './time'

const at = (time: string) => new Date(time).getTime() / 1000
const labels = (from: string, to: string) => ticks(at(from), at(to)).map(({ label }) => label)

test('the time axis has marks at round local times', () => {
  expect(labels('2026-11-26T14:03:10', '2026-11-26T14:07:10')).toEqual(['14:04', '14:05', '14:06', '14:07'])
  expect(labels('2026-11-26T13:10:05', '2026-11-26T14:10:05')).toEqual(['13:15', '13:30', '13:45', '14:00'])
  expect(labels('2026-11-25T13:10:05', '2026-11-26T13:10:05')).toEqual(['18:00', 'Thu', '06:00', '12:00'])
  expect(labels('2026-11-19T13:10:05', '2026-11-26T13:10:05')).toEqual(['Fri', 'Sat', 'Sun', 'Mon', 'Tue', 'Wed', 'Thu'])
})

test('the time axis of a new server begins at its start, or shortly before', () => {
  expect(axisFrom(0, 3600, -500)).toBe(0)
  expect(axisFrom(0, 3600, 1200)).toBe(1200)
  expect(axisFrom(0, 3600, 3590)).toBe(3300)
})
