import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { entryAddress, entryToken, forgetEntryToken, tokenOfAddress, withEntryToken } from './entry-link'
import { fetchAsVisitor } from './visitor-fetch'

beforeEach(() => sessionStorage.clear())
afterEach(() => vi.unstubAllGlobals())

it('makes one token for a fill of a form, whatever the number of attempts', () => {
  const token = entryToken('a')
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect(entryToken('a')).toBe(token)
  expect(entryToken('b')).not.toBe(token)
  forgetEntryToken('a')
  expect(entryToken('a')).not.toBe(token)
})

it('has the token in the fragment of the link, which no server is sent', () => {
  const token = entryToken('a')
  const address = new URL(entryAddress(token, 'https://club.example.org'))
  expect([address.pathname, address.search]).toEqual(['/my-entry', ''])
  expect(tokenOfAddress(address.hash)).toBe(token)
  for (const hash of ['', '#entry=', `#entry=${token}0`, `#late=${token}`]) expect(tokenOfAddress(hash)).toBeUndefined()
})

it('is sent while an entry is saved, to the table API', async () => {
  const sent: (string | null)[] = []
  vi.stubGlobal('fetch', (_input: string, init?: RequestInit) => {
    sent.push(new Headers(init?.headers).get('x-entry-link'))
    return Promise.resolve(new Response())
  })
  const token = entryToken('a')
  await withEntryToken(token, () => fetchAsVisitor('/rest/v1/young_artist_entries', { method: 'POST' }))
  await withEntryToken(token, () => fetchAsVisitor('/functions/v1/send-email', { method: 'POST' }))
  await fetchAsVisitor('/rest/v1/young_artist_entries', { method: 'POST' })
  expect(sent).toEqual([token, null, null])
})
