import { describe, expect, it } from 'vitest'
import { limits, restoredText, rowText, stepText, toField } from './restore-rows'

describe('the moment of a restore', () => {
  it('stays within what can be restored, in whole seconds', () => {
    const { min, max, value } = limits('2026-11-23T10:00:00.400Z', '2026-11-23T14:30:00.900Z')
    expect(new Date(min).toISOString()).toBe('2026-11-23T10:00:01.000Z')
    expect(new Date(max).toISOString()).toBe('2026-11-23T14:30:00.000Z')
    expect(new Date(value).toISOString()).toBe('2026-11-23T13:30:00.000Z')
  })

  it('begins with the first moment of a young backup', () => {
    const { min, max, value } = limits('2026-11-23T14:00:00.400Z', '2026-11-23T14:00:00.900Z')
    expect([min, max, value]).toEqual(Array(3).fill(toField(new Date('2026-11-23T14:00:01Z'))))
  })
})

it('says how far the copy is', () => {
  expect(stepText({ state: 'preparing', step: 'base', done: 0, total: 0 })).toBe('The base backup is unpacked')
  expect(stepText({ state: 'preparing', step: 'base', done: 1, total: 3 })).toBe('The base backup is unpacked: 33 %')
  expect(stepText({ state: 'preparing', step: 'base', done: 5, total: 3 })).toBe('The base backup is unpacked: 100 %')
  expect(stepText({ state: 'preparing', step: 'replay', done: 0, total: 1 })).toBe('PostgreSQL replays the log')
})

it('shows a row on one line', () => {
  expect(rowText(['id', 'body'], { key: ['1'], changed: null, values: ['1', null] })).toBe('id: 1 · body: null')
})

it('counts restored rows', () => {
  expect(restoredText({ inserted: 0, updated: 1 })).toBe('One row is restored')
  expect(restoredText({ inserted: 2, updated: 1 })).toBe('3 rows are restored')
})
