import { describe, expect, it } from 'vitest'
import { isSessionLost, messageOf, sessionLost, unreachable } from './errors'

describe('messages of errors', () => {
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
    new Error('Failed to fetch the school'),
  ])('is its own message otherwise: %o', (error) => {
    expect(isSessionLost(error)).toBe(false)
    expect(messageOf(error)).toBe(error.message)
  })

  it.each([
    'Failed to fetch',
    'TypeError: Failed to fetch',
    'NetworkError when attempting to fetch resource.',
    'Load failed',
    'Failed to send a request to the Edge Function',
  ])('is that there is no connection, in whatever words a browser says it: %s', (message) => {
    expect(messageOf({ message })).toBe(unreachable)
  })

  it.each([null, undefined, 'text', {}, { message: '' }])('is the fallback without a message: %o', (error) => {
    expect(messageOf(error, 'Failed')).toBe('Failed')
  })
})
