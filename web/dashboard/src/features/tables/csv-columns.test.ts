import { expect, it } from 'vitest'
import { hasNames, problem, targets } from './csv-columns'

const columns = ['id', 'name', 'mood']

it('treats a first line with one unknown name as names, and reports the unknown name', () => {
  const fields = ['id', 'nmae', 'Mood']
  expect(hasNames(fields, columns)).toBe(true)
  const found = targets(fields, columns, true)
  expect(found).toEqual(['id', undefined, 'mood'])
  expect(found.map((_, index) => problem(found, index, true) !== undefined)).toEqual([false, true, false])
  expect(problem(['id', null, 'mood'], 1, true)).toBeUndefined()
  expect(problem(['id', 'id'], 1, true)).toContain('twice')
})

it('treats a first line without any column name as data, by position', () => {
  const fields = ['1', 'Boat', 'calm', 'more']
  expect(hasNames(fields, columns)).toBe(false)
  expect(targets(fields, columns, false)).toEqual(['id', 'name', 'mood', undefined])
})
