import { expect, test } from 'vitest'
import type { Node } from './contract'
import { stateOf, summary } from './nodes'

const node = (change: Partial<Node> = {}): Node => ({
  id: 'a',
  name: 'a:54321',
  is_this: false,
  is_running: true,
  is_behind: false,
  is_readable: true,
  problems: [],
  waiting: [],
  ...change,
})

test('a project with one node shows nothing, unless its files differ', () => {
  expect(summary([node()])).toBeUndefined()
  expect(summary([node({ problems: [{ keys: ['auth.jwt_expiry'], reason: 'It differs.' }] })])).toBe(
    'The last change is on 0 of 1 nodes.',
  )
})

test('nodes that have refused, are waiting, or are not running', () => {
  const refused = node({ problems: [{ keys: ['auth.jwt_expiry'], reason: 'It differs.' }], waiting: ['api.schemas'] })
  const nodes = [node(), refused, node({ is_running: false, is_behind: true })]
  expect(summary(nodes)).toBe('The last change is on 1 of 3 nodes.')
  expect(summary([node(), node({ waiting: ['api.schemas'] })])).toBe('The settings are the same on all 2 nodes.')
  expect(nodes.map(stateOf)).toEqual([
    ['In effect.'],
    ['auth.jwt_expiry: It differs.', 'After a restart of this node: api.schemas.'],
    ['Not running. It applies the change at its start.'],
  ])
  expect(stateOf(node({ is_behind: true }))).toEqual(['Applying the change.'])
  expect(stateOf(node({ is_readable: false }))[0]).toContain('secrets.toml')
})
