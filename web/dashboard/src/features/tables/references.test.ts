import { describe, expect, it } from 'vitest'
import type { DiagramTable } from '@/lib/catalog'
import { findTargets, referenced, referenceSql, targets } from './references'

const table = (name: string, ...keys: [string, string][]): DiagramTable => ({
  name,
  partitioned: false,
  columns: [
    ...keys.map(([key, type]) => ({ name: key, type, nullable: false, key: true })),
    { name: 'body', type: 'text', nullable: true, key: false },
  ],
  foreign_keys: [],
})

describe('a reference', () => {
  it('uses the schema of the table unless it contains a schema', () => {
    expect(referenced('public', 'schools')).toBe('public.schools')
    expect(referenced('public', ' auth.users ')).toBe('auth.users')
  })

  it('keeps quoted names unchanged, and quotes other names if necessary', () => {
    expect(referenced('public', '"Sea"."wind.force"')).toBe('"Sea"."wind.force"')
    expect(referenced('public', 'public."odd ""name"""')).toBe('public."odd ""name"""')
    expect(referenced('public', 'a.b.c; drop')).toBe('public."a.b.c; drop"')
    expect(referenced('public', 'Order')).toBe('public."Order"')
  })

  it('contains the action on deletion only if it is not the default', () => {
    expect(referenceSql('public', { references: 'schools', onDelete: 'no action' })).toBe('references public.schools')
    expect(referenceSql('public', { references: 'auth.users', onDelete: 'set null' })).toBe(
      'references auth.users on delete set null',
    )
    expect(referenceSql('public', { references: ' ', onDelete: 'cascade' })).toBe('')
  })

  it('is offered to tables with a key of one column, and to users', () => {
    const all = targets('public', [
      table('odd name', ['id', 'bigint']),
      table('pairs', ['a', 'int'], ['b', 'int']),
      table('loose'),
    ])
    expect(all).toEqual([
      { value: 'public."odd name"', note: 'id bigint', type: 'bigint' },
      { value: 'auth.users', note: 'users of the project: id uuid', type: 'uuid' },
    ])
    expect(findTargets(all, 'odd n')).toHaveLength(1)
    expect(findTargets(all, 'USER').map(({ value }) => value)).toEqual(['auth.users'])
  })
})
