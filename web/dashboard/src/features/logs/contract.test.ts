import { expect, test } from 'vitest'
import { whatOf } from './contract'

test('a line names the table, the function or the bucket of its request', () => {
  const what = (route: string, fields: Record<string, unknown> = {}) => whatOf({ method: 'GET', route, fields })
  expect(what('/rest/v1', { resource: 'boats' })).toBe('GET /rest/v1/boats')
  expect(what('/rest/v1', { resource: 'rpc/free_boats' })).toBe('GET /rest/v1/rpc/free_boats')
  expect(what('/storage/v1', { bucket: 'pictures' })).toBe('GET /storage/v1/pictures')
  expect(what('/storage/v1/object/{bucket}', { bucket: 'pictures' })).toBe('GET /storage/v1/object/{bucket} pictures')
  expect(what('/functions/v1', { function: 'tide-table' })).toBe('GET /functions/v1/tide-table')
})

test('a line without such a name has the route', () => {
  expect(whatOf({ method: 'POST', route: '/auth/v1/token', fields: { code: 'invalid_credentials' } })).toBe(
    'POST /auth/v1/token',
  )
  expect(whatOf({ method: null, route: null, fields: { resource: 42 } })).toBe('')
})
