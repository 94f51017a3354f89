import { expect, it } from 'vitest'
import { keepPass, readPass } from '../pass'
import { toJudgedEntry, type OwnRow } from './own-entries'
import { awardsOf, categoryName } from './own-judging'

const row: OwnRow = {
  id: 'a',
  entrant: 'Isla McPhail',
  age: 13,
  school: null,
  title: ' ',
  facts: [],
  files: [],
  recordings: [],
  place: null,
  known: false,
  scores: {},
  created_at: '2026-10-01T10:00:00Z',
}

it.each([
  ['citizen', 'Isla McPhail'],
  ['musician', 'The music of Isla McPhail'],
  ['artist', 'The work of Isla McPhail'],
] as const)('an untitled entry of the %s award is headed %s', (award, title) => {
  expect(toJudgedEntry(award, 'senior', row)).toMatchObject({ title, isUntitled: true, category: 'Senior' })
})

it('leaves out empty facts, and labels those that need a label', () => {
  const facts = [
    ['Medium', 'Oil'],
    ['', 'The shore'],
    ['Composer', null],
    ['Duration', ' '],
    ['Instrument', 'Fiddle'],
  ]
  expect(toJudgedEntry('musician', 'vocal', { ...row, title: 'Air', facts }).lines).toEqual([
    { text: 'Oil', quiet: true },
    { text: 'The shore', quiet: false },
    { text: 'Fiddle', quiet: true, label: 'Instrument' },
  ])
})

it('accepts only the places 1 to 3', () => {
  expect([1, 3, 4, null].map((place) => toJudgedEntry('artist', 'senior', { ...row, place }).place)).toEqual([1, 3, null, null])
})

it('lists each award once', () => {
  const section = { entries: 0, finishedAt: null }
  const sections = [
    { ...section, award: 'citizen' as const, category: 'group' },
    { ...section, award: 'artist' as const, category: 'intermediate' },
    { ...section, award: 'artist' as const, category: 'senior' },
  ]
  expect(awardsOf(sections)).toEqual(['citizen', 'artist'])
  expect(categoryName('intermediate')).toBe('Intermediate')
})

it('stores for the browser session that the pass belongs to one judge', () => {
  keepPass({ token: 't', expiresAt: 1000, isOwn: true })
  expect(readPass(999_000)).toEqual({ token: 't', expiresAt: 1000, isOwn: true })
  keepPass(undefined)
})
