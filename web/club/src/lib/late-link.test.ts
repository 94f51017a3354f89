import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { forgetLateLink, lateLink, takeLateLink } from './late-link'
import { fetchAsVisitor } from './visitor-fetch'

const token = 'ab'.repeat(32)

beforeEach(() => {
  sessionStorage.clear()
  window.history.replaceState(null, '', '/young-artist?view=form')
})
afterEach(() => vi.unstubAllGlobals())

it('takes the token out of the address and keeps it for this tab', () => {
  window.history.replaceState(null, '', `/young-artist?view=form#late=${token}`)
  takeLateLink()
  expect(window.location.href).toMatch(/\/young-artist\?view=form$/)
  expect(lateLink()).toBe(token)
  forgetLateLink()
  expect(lateLink()).toBeUndefined()
})

it('takes nothing that is no token', () => {
  for (const hash of ['#privacy', '#late=', `#late=${token}x`, `#late=${token.toUpperCase()}`]) {
    window.history.replaceState(null, '', `/young-artist${hash}`)
    takeLateLink()
    expect(lateLink(), hash).toBeUndefined()
    expect(window.location.hash).toBe(hash)
  }
})

it('sends the token with what is saved, and with nothing else', async () => {
  const sent: [string, string | null][] = []
  vi.stubGlobal('fetch', (input: string, init?: RequestInit) => {
    sent.push([input, new Headers(init?.headers).get('x-late-link')])
    return Promise.resolve(new Response())
  })
  await fetchAsVisitor('/rest/v1/young_artist_entries', { method: 'POST', headers: { apikey: 'k' } })
  sessionStorage.setItem('late-link', token)
  await fetchAsVisitor('/rest/v1/young_artist_entries', { method: 'POST', headers: { apikey: 'k' } })
  await fetchAsVisitor('/rest/v1/rpc/late_link', { method: 'POST' })
  await fetchAsVisitor('/functions/v1/send-email', { method: 'POST' })
  expect(sent).toEqual([
    ['/rest/v1/young_artist_entries', null],
    ['/rest/v1/young_artist_entries', token],
    ['/rest/v1/rpc/late_link', null],
    ['/functions/v1/send-email', null],
  ])
})
