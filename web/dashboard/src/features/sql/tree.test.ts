import { expect, it } from 'vitest'
import { treeOf } from './tree'

const names = {
  tables: [
    ['auth', 'users', ['id', 'email']],
    ['public', 'boats', ['id', 'name', 'Hull']],
    ['public', 'Odd "name"', ['id']],
    ['public', 'order', []],
  ] as [string, string, string[]][],
  functions: [],
}

it('shows public first, and quotes an inserted name if necessary', () => {
  const tree = treeOf(names)
  expect(tree.map(({ name }) => name)).toEqual(['public', 'auth'])
  expect(tree[0]?.tables.map(({ text }) => text)).toEqual(['boats', '"Odd ""name"""', '"order"'])
  expect(tree[1]?.tables[0]?.text).toBe('auth.users')
})

it('finds tables, columns and qualified names', () => {
  const found = (text: string) => treeOf(names, text).flatMap(({ tables }) => tables.map(({ name }) => name))
  expect(found('BOA')).toEqual(['boats'])
  expect(found('hull')).toEqual(['boats'])
  expect(found('auth.u')).toEqual(['users'])
  expect(found('nothing')).toEqual([])
  expect(found(' ')).toHaveLength(4)
})
