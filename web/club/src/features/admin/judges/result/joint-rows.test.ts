import { expect, it } from 'vitest'
import { columnNames, firstPlaces, jointRows, placesGivenTwice, progress } from './joint-rows'
import type { JointResult } from './queries/joint-result'

type Mark = JointResult['entries'][number]['marks'][number]

const mark = (judge: string, place: number | null, rest: Partial<Mark> = {}): Mark => ({
  judge,
  place,
  known: false,
  scores: {},
  ...rest,
})
const entry = (id: string, marks: Mark[], place: number | null = null) => ({
  id,
  entrant: id,
  school: null,
  title: null,
  place,
  marks,
})
const result = (...entries: JointResult['entries']): JointResult => ({
  state: 's',
  judges: [
    { id: 'j', name: 'Ann', finishedAt: '2026-10-01T10:00:00Z' },
    { id: 'k', name: 'Ben', finishedAt: null },
  ],
  criteria: [{ id: 'c', name: 'Idea', maximum: 10 }],
  entries,
})

it('adds the points of all judges, and proposes places in this order', () => {
  const rows = jointRows(
    result(
      entry('none', []),
      entry('third', [mark('j', 3)]),
      entry('first', [mark('j', 2), mark('k', 1)]),
      entry('second', [mark('j', 1, { known: true }), mark('k', 3)]),
    ),
  )
  expect(rows.map(({ id, points, proposed, knownBy }) => [id, points, proposed, knownBy])).toEqual([
    ['first', 5, 1, []],
    ['second', 4, 2, ['Ann']],
    ['third', 1, 3, []],
    ['none', 0, undefined, []],
  ])
})

it('orders equal points by the scores, and proposes no place if these are equal too', () => {
  const rows = jointRows(
    result(
      entry('a', [mark('j', 1, { scores: { c: 4 } })]),
      entry('b', [mark('k', 1, { scores: { c: 9 } })]),
      entry('c', [mark('j', 2)]),
      entry('d', [mark('k', 2)]),
    ),
  )
  expect(rows.map(({ id, isTied, proposed }) => [id, isTied, proposed])).toEqual([
    ['b', false, 1],
    ['a', false, 2],
    ['c', true, undefined],
    ['d', true, undefined],
  ])
})

it('does not count a score of a removed criterion', () => {
  expect(jointRows(result(entry('a', [mark('j', null, { scores: { gone: 5, c: 2 } })])))[0]?.score).toBe(2)
})

it('begins with the settled places', () => {
  expect(firstPlaces(jointRows(result(entry('a', [mark('j', 1)]), entry('b', [], 2))))).toEqual({ b: 2 })
  expect(firstPlaces(jointRows(result(entry('a', [mark('j', 1)]), entry('b', []))))).toEqual({ a: 1 })
  expect(placesGivenTwice({ a: 1, b: 1, c: 2 })).toEqual([1])
})

it('lists the judges who have not finished', () => {
  expect(progress(result())).toBe('Finished: 1 of 2 judges. Not finished: Ben.')
  expect(progress({ judges: [{ id: 'j', name: 'Ann', finishedAt: 'x' }] })).toBe('Finished: 1 of 1 judge.')
})

it('distinguishes judges with the same name', () => {
  const judges = ['Ann', 'Ben', 'Ann'].map((name, index) => ({ id: String(index), name, finishedAt: null }))
  expect(columnNames(judges)).toEqual(['Ann', 'Ben', 'Ann (2)'])
})
