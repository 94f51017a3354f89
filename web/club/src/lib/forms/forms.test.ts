import { describe, expect, it } from 'vitest'
import { clearDraft, readDraft, writeDraft } from './draft'
import { summaryHtml, toHtml } from './html'

describe('HTML of mails', () => {
  it('escapes and keeps line breaks of every kind', () => {
    expect(toHtml(`a<b>"c"&'d'\r\ne\rf\ng`)).toBe('a&lt;b&gt;&quot;c&quot;&amp;&#39;d&#39;<br>e<br>f<br>g')
  })

  it('says where nothing was given, and keeps a zero', () => {
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
    savedAt: '2025-10-01T10:00:00.000Z',
    key: 'key',
    values: { name: 'A', note: '' },
    files: [],
  }

  it('come back as they were written, each form its own', () => {
    writeDraft('one', draft)
    expect(readDraft('one', empty)).toEqual(draft)
    expect(readDraft('two', empty)).toBeUndefined()
    clearDraft('one')
    expect(readDraft('one', empty)).toBeUndefined()
  })

  it('of an older form get the fields that it lacks', () => {
    writeDraft('one', { ...draft, values: { name: 'A' } })
    expect(readDraft('one', empty)?.values).toEqual({ name: 'A', note: '' })
  })

  it.each(['not json', 'null', '[]', '{"key":1}'])('that cannot be read are none: %s', (text) => {
    localStorage.setItem('draft:one', text)
    expect(readDraft('one', empty)).toBeUndefined()
  })
})
