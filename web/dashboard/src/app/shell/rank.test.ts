import { describe, expect, it } from 'vitest'
import { search } from './rank'

const entries = [
  { name: 'Policies', group: 'Page', words: 'rls row level security matrix' },
  { name: 'Why refused', group: 'Page', words: 'denied 403 rls explain' },
  { name: 'Metrics', group: 'Page', words: 'charts slow latency' },
  { name: 'SQL', group: 'Page', words: 'query editor' },
  { name: 'harbours', group: 'Table', words: 'rows' },
  { name: 'old_harbours', group: 'Table', words: 'rows' },
  { name: 'charms', group: 'Table', words: 'rows' },
]
const names = (text: string) => search(entries, text).map(({ name }) => name)

describe('a search of the palette', () => {
  it('ranks a name that begins with the text before names and words that contain it', () => {
    expect(names('har')).toEqual(['harbours', 'old_harbours', 'charms', 'Metrics'])
  })
  it('keeps the order of equal matches, and the whole order for an empty text', () => {
    expect(names('rls')).toEqual(['Policies', 'Why refused'])
    expect(names('')).toEqual(entries.map(({ name }) => name))
  })
  it('requires each part of the text', () => {
    expect(names('table har')).toEqual(['harbours', 'old_harbours', 'charms'])
    expect(names('page har')).toEqual(['Metrics'])
    expect(names('nothing')).toEqual([])
  })
})
