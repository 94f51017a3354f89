import { beforeEach, expect, it } from 'vitest'
import { entryAddress, entryToken, forgetEntryToken, makeEntryToken, tokenOfAddress } from './entry-link'

beforeEach(() => localStorage.clear())

it('keeps the token of a form until it is deleted', () => {
  expect(entryToken('a')).toBeUndefined()
  const token = makeEntryToken('a')
  expect(token).toMatch(/^[0-9a-f]{64}$/)
  expect([entryToken('a'), entryToken('b')]).toEqual([token, undefined])
  expect(makeEntryToken('b')).not.toBe(token)
  // A browser without storage.
  localStorage.clear()
  expect(entryToken('a')).toBe(token)
  forgetEntryToken('a')
  expect(entryToken('a')).toBeUndefined()
})

it('puts the token into the fragment of the link, which is not sent to a server', () => {
  const token = makeEntryToken('a')
  const address = new URL(entryAddress(token, 'https://club.example.org'))
  expect([address.pathname, address.search]).toEqual(['/my-entry', ''])
  expect(tokenOfAddress(address.hash)).toBe(token)
  for (const hash of ['', '#entry=', `#entry=${token}0`, `#late=${token}`]) expect(tokenOfAddress(hash)).toBeUndefined()
})
