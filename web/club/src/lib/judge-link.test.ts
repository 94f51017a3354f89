import { expect, it } from 'vitest'
import { judgeAddress, takeLinkToken } from './judge-link'

const token = '0123456789abcdef'.repeat(4)

it('removes the token of a judge’s link from the URL', () => {
  window.history.replaceState(null, '', `/judging?x=1#judge=${token}`)
  expect(takeLinkToken()).toBe(token)
  expect(window.location.href).toMatch(/\/judging\?x=1$/)
  expect(takeLinkToken()).toBeUndefined()
})

it('leaves other fragments unchanged', () => {
  for (const hash of ['#judge=short', `#late=${token}`, '#top', '']) {
    window.history.replaceState(null, '', `/judging${hash}`)
    expect(takeLinkToken()).toBeUndefined()
    expect(window.location.hash).toBe(hash)
  }
})

it('puts the token into the fragment, which no server receives', () => {
  expect(new URL(judgeAddress(token, 'https://club.example')).hash).toBe(`#judge=${token}`)
})
