import { describe, expect, it } from 'vitest'
import { likelyDuplicates, sharingFiles, suspects } from './duplicates'
import { isVocal, type ArtistEntry, type ArtistRow } from './entry'
import { groupBySchool } from './group-by-school'
import { toListRows } from './list-rows'
import { referenceOf } from './reference'
import { searchEntries } from './search'
import { parseOrder, sortEntries } from './sort'

function entry(id: string, name: string, school?: string): ArtistEntry {
  const row = { id, entrant_name: name, artwork_title: `Title of ${id}` } as ArtistRow
  const of = school === undefined ? undefined : { id: school, name: school }
  return { award: 'artist', id, name, school: of, createdAt: '', updatedAt: '', withdrawnAt: null, files: [], row }
}

const entries = [
  entry('1', 'Zoë Muir', 'Kempock'),
  entry('2', 'Adam Nowak'),
  entry('3', 'zoe  muir', 'Ashton'),
  entry('4', 'Bea', 'Kempock'),
]

describe('entries by school', () => {
  it('sorts schools, puts entries without a school last, and keeps the order within a school', () => {
    const groups = groupBySchool(entries).map(({ school, entries: group }) => [school?.name, group.map(({ id }) => id)])
    expect(groups).toEqual([
      ['Ashton', ['3']],
      ['Kempock', ['1', '4']],
      [undefined, ['2']],
    ])
  })

  it('numbers the entries of each group from one', () => {
    const numbers = toListRows(entries).map((row) => (row.kind === 'heading' ? `# ${row.count}` : row.number))
    expect(numbers).toEqual(['# 1', 1, '# 2', 1, 2, '# 1', 1])
  })
})

describe('search and order', () => {
  it('finds every word, regardless of accents and case', () => {
    expect(searchEntries(entries, 'ZOE muir').map(({ id }) => id)).toEqual(['1', '3'])
    expect(searchEntries(entries, 'kempock title').map(({ id }) => id)).toEqual(['1', '4'])
    expect(searchEntries(entries, '  ')).toBe(entries)
  })

  it('finds an entry by the reference of its receipt', () => {
    const id = '3f2a9c1b-0000-4000-8000-000000000000'
    expect(referenceOf({ id })).toBe('3F2A9C1B')
    expect(searchEntries([...entries, entry(id, 'Eve')], '3F2A9C1B').map(({ name }) => name)).toEqual(['Eve'])
  })

  it('sorts by name and by age of the entry', () => {
    expect(sortEntries(entries, 'name').map(({ id }) => id)).toEqual(['2', '4', '3', '1'])
    expect(sortEntries(entries, 'oldest').map(({ id }) => id)).toEqual(['4', '3', '2', '1'])
    expect(parseOrder('toString')).toBe('newest')
  })
})

it('another entry with the same name may be a duplicate', () => {
  const [first, other, third] = entries
  expect(first && likelyDuplicates(first, entries)).toEqual([third])
  expect(other && likelyDuplicates(other, entries)).toEqual([])
})

it('entries with the same file link to each other, and each suspect is marked', () => {
  const [first, other, , fourth] = entries
  const shared = [['2', '4']]
  expect(other && sharingFiles(other, shared, entries)).toEqual([fourth])
  expect(first && sharingFiles(first, shared, entries)).toEqual([])
  expect([...suspects(entries, shared)].sort()).toEqual(['1', '2', '3', '4'])
  expect([...suspects(entries, [])].sort()).toEqual(['1', '3'])
})

it.each([
  ['vocal', true],
  ['Vocal Solo', true],
  ['instrumental', false],
])('the category %s is vocal: %s', (category, expected) => {
  expect(isVocal({ category })).toBe(expected)
})
