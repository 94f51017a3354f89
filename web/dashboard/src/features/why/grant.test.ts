import { expect, test } from 'vitest'
import type { Explanation } from './contract'
import { grantOf } from './grant'

const refused = {
  relation: 'public.Boats',
  command: 'SELECT',
  role: 'anon',
  outcome: 'refused',
  claims: {},
  rows: [],
  notes: [],
} as const satisfies Partial<Explanation>
const place = { schema: 'public', name: 'Boats' }
const sqlOf = (cause: object) => grantOf({ ...refused, rows: [], notes: [], ...cause }, place)?.sql

test('each missing privilege has its grant, with quoted names if necessary', () => {
  expect(sqlOf({ cause: 'privilege', privilege: 'SELECT' })).toBe('grant select on public."Boats" to anon;')
  expect(sqlOf({ cause: 'columns', privilege: 'UPDATE', columns: ['a', 'B'] })).toBe(
    'grant update (a, "B") on public."Boats" to anon;',
  )
  expect(sqlOf({ cause: 'schema', schema: 'Club' })).toBe('grant usage on schema "Club" to anon;')
})

test('a refusal by a policy has no grant', () => {
  expect(sqlOf({ cause: 'no_policy' })).toBeUndefined()
  expect(sqlOf({ cause: null })).toBeUndefined()
})
