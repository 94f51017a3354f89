import { describe, expect, it } from 'vitest'
import { nextPage, signInAddress } from '@/lib/next-page'
import { readArrival } from './arrival'

describe('the fragment of a link', () => {
  it.each([
    ['#access_token=t&type=recovery', true],
    ['#access_token=t&type=invite', true],
    ['#access_token=t&type=signup', false],
    ['#type=recovery', false],
    ['', false],
  ])('%s lets its holder choose a password: %s', (fragment, expected) => {
    expect(readArrival(fragment).setsPassword).toBe(expected)
  })

  it('contains the reason if the link does not work', () => {
    expect(readArrival('#error=access_denied&error_description=Email+link+is+invalid').error).toBe('Email link is invalid')
  })
})

describe('the return path after signing in', () => {
  it.each(['/admin', '/admin?tab=artist&q=a%20b'])('leads to %s', (page) => {
    expect(nextPage(new URL(signInAddress(page), 'http://x').search)).toBe(page)
  })

  it.each(['//evil.example', 'https://evil.example/admin', '/administrator', '/admin/../x', 'javascript:alert(1)'])(
    'never leads to %s',
    (page) => expect(nextPage(`?next=${encodeURIComponent(page)}`)).toBe('/admin'),
  )
})
