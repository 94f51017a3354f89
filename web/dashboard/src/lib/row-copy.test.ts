import { describe, expect, it } from 'vitest'
import { limits, stepText, toField } from './row-copy'

describe('the point in time of a restore', () => {
  const of = (from: string | null, until: string | null) =>
    limits({ enabled: true, problem: null, restorable_from: from, restorable_until: until, copy: null })

  it('is within the restorable period, in whole seconds', () => {
    const range = of('2026-11-23T10:00:00.400Z', '2026-11-23T14:30:00.900Z')
    expect(range).toEqual({
      min: toField(new Date('2026-11-23T10:00:01Z')),
      max: toField(new Date('2026-11-23T14:30:00Z')),
      value: toField(new Date('2026-11-23T13:30:00Z')),
    })
  })

  it('begins with the first restorable moment of a new backup', () => {
    const only = toField(new Date('2026-11-23T14:00:01Z'))
    expect(of('2026-11-23T14:00:00.400Z', '2026-11-23T14:00:01.900Z')).toEqual({ min: only, max: only, value: only })
  })

  it('cannot be chosen until a whole second can be restored', () => {
    expect(of(null, null)).toBeUndefined()
    expect(of(null, '2026-11-23T14:00:00Z')).toBeUndefined()
    expect(of('2026-11-23T14:00:00.400Z', '2026-11-23T14:00:00.900Z')).toBeUndefined()
    expect(of('2026-11-23T14:00:00.400Z', '2026-11-23T13:59:59Z')).toBeUndefined()
  })
})

it('shows the progress of the copy', () => {
  expect(stepText({ state: 'preparing', step: 'base', done: 0, total: 0 })).toBe('The base backup is unpacked')
  expect(stepText({ state: 'preparing', step: 'base', done: 1, total: 3 })).toBe('The base backup is unpacked: 33 %')
  expect(stepText({ state: 'preparing', step: 'base', done: 5, total: 3 })).toBe('The base backup is unpacked: 100 %')
  expect(stepText({ state: 'preparing', step: 'replay', done: 0, total: 1 })).toBe('PostgreSQL replays the log')
})
