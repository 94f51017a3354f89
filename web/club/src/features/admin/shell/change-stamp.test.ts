import { expect, it } from 'vitest'
import { stampOfRows } from './change-stamp'

it('consists of the number of rows and the latest change, in the server’s format', () => {
  const rows = [
    { updated_at: '2026-01-02T00:00:00+00:00' },
    { updatedAt: '2026-01-03T00:00:00+00:00' },
    { updated_at: '2026-01-01T00:00:00+00:00' },
  ]
  expect(stampOfRows(rows)).toBe('3 2026-01-03T00:00:00+00:00')
  expect(stampOfRows([])).toBe('0 ')
  expect(stampOfRows(undefined)).toBeUndefined()
})
