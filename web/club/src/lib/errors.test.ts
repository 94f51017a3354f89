import { describe, expect, it } from 'vitest'
import { isSessionLost, messageOf, sessionLost } from './errors'

describe('what an error says', () => {
  it.each([
    { code: '42501', message: 'permission denied for table contacts' },
    { code: '42501', message: 'permission denied for function list_admins' },
    { code: 'PGRST303', message: 'JWT expired' },
  ])('is that the session has ended, not the name of a table: %o', (error) => {
    expect(isSessionLost(error)).toBe(true)
    expect(messageOf(error)).toBe(sessionLost)
  })

  it.each([
    { code: '42501', message: 'new row violates row-level security policy for table "contacts"' },
    { code: '23505', message: 'duplicate key value' },
    new Error('Failed to fetch'),
  ])('is its own message otherwise: %o', (error) => {
    expect(isSessionLost(error)).toBe(false)
    expect(messageOf(error)).toBe(error.message)
  })

  it.each([null, undefined, 'text', {}, { message: '' }])('is the fallback without a message: %o', (error) => {
    expect(messageOf(error, 'Failed')).toBe('Failed')
  })
})
