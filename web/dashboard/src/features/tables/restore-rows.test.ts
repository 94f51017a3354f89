import { expect, it } from 'vitest'
import { restoredText, rowText } from './restore-rows'

it('shows a row on one line', () => {
  expect(rowText(['id', 'body'], { key: ['1'], changed: null, values: ['1', null] })).toBe('id: 1 · body: null')
})

it('counts restored rows', () => {
  expect(restoredText({ inserted: 0, updated: 1 })).toBe('One row is restored')
  expect(restoredText({ inserted: 2, updated: 1 })).toBe('3 rows are restored')
})
