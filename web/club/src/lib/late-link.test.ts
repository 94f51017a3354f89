import { beforeEach, expect, it } from 'vitest'
import { forgetLateLink, lateLink, takeLateLink } from './late-link'

const token = 'ab'.repeat(32)

beforeEach(() => {
  sessionStorage.clear()
  window.history.replaceState(null, '', '/young-artist?view=form')
})

it('removes the token from the URL and stores it for this tab', () => {
  window.history.replaceState(null, '', `/young-artist?view=form#late=${token}`)
  takeLateLink()
  expect(window.location.href).toMatch(/\/young-artist\?view=form$/)
  expect(lateLink()).toBe(token)
  forgetLateLink()
  expect(lateLink()).toBeUndefined()
})

it('ignores an invalid token', () => {
  for (const hash of ['#privacy', '#late=', `#late=${token}x`, `#late=${token.toUpperCase()}`]) {
    window.history.replaceState(null, '', `/young-artist${hash}`)
    takeLateLink()
    expect(lateLink(), hash).toBeUndefined()
    expect(window.location.hash).toBe(hash)
  }
})
