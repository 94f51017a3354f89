import { afterEach, describe, expect, it, vi } from 'vitest'
import { clearDraft, draftKeys, readDraft, writeDraft } from './draft'
import { summaryHtml, toHtml } from './html'

describe('HTML of mails', () => {
  it('escapes text and keeps line breaks of every kind', () => {
    expect(toHtml(`a<b>"c"&'d'\r\ne\rf\ng`)).toBe('a&lt;b&gt;&quot;c&quot;&amp;&#39;d&#39;<br>e<br>f<br>g')
  })

  it('shows a text for empty values, and keeps a zero', () => {
    const html = summaryHtml(
      'T',
      [
        {
          heading: 'H',
          rows: [
            ['A', ''],
            ['B', null],
            ['C', 0],
          ],
        },
      ],
      'F',
    )
    expect(html).toContain('<strong>A:</strong> Not provided')
    expect(html).toContain('<strong>B:</strong> Not provided')
    expect(html).toContain('<strong>C:</strong> 0')
  })
})

describe('drafts', () => {
  const empty = { name: '', note: '' }
  const draft = {
    savedAt: new Date().toISOString(),
    key: 'key',
    values: { name: 'A', note: '' },
    files: [],
  }

  it('are restored unchanged, separately for each form', () => {
    writeDraft('one', draft)
    expect(readDraft('one', empty)).toEqual(draft)
    expect(readDraft('two', empty)).toBeUndefined()
    clearDraft('one')
    expect(readDraft('one', empty)).toBeUndefined()
  })

  it('of an older form get the missing fields', () => {
    writeDraft('one', { ...draft, values: { name: 'A' } })
    expect(readDraft('one', empty)?.values).toEqual({ name: 'A', note: '' })
  })

  describe('expire', () => {
    const day = 24 * 60 * 60 * 1000
    const saved = Date.parse(draft.savedAt)
    afterEach(() => vi.useRealTimers())

    it('are kept for 30 days after their last change, and are then deleted', () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      writeDraft('one', draft)
      vi.setSystemTime(saved + 30 * day - 1)
      expect(readDraft('one', empty)).toEqual(draft)
      vi.setSystemTime(saved + 30 * day)
      expect(readDraft('one', empty)).toBeUndefined()
      expect(localStorage.getItem('draft:one')).toBeNull()
    })

    it('are deleted even without a visit to their form', () => {
      vi.useFakeTimers({ toFake: ['Date'] })
      writeDraft('one', draft)
      writeDraft('two', { ...draft, key: 'changed later', savedAt: new Date(saved + day).toISOString() })
      vi.setSystemTime(saved + 30 * day)
      expect(draftKeys()).toEqual(new Set(['changed later']))
      expect(localStorage.getItem('draft:one')).toBeNull()
      expect(localStorage.getItem('draft:two')).not.toBeNull()
    })

    it('are deleted at once if the time of their last change cannot be read', () => {
      writeDraft('one', { ...draft, savedAt: 'yesterday' })
      expect(readDraft('one', empty)).toBeUndefined()
      expect(localStorage.getItem('draft:one')).toBeNull()
    })
  })

  it.each(['not json', 'null', '[]', '{"key":1}'])('that cannot be read are none: %s', (text) => {
    localStorage.setItem('draft:one', text)
    expect(readDraft('one', empty)).toBeUndefined()
  })
})
