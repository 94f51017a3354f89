import { describe, expect, it } from 'vitest'
import { dropTable, enableRls, isTable, newSchema, renameTable, truncateTable, type Relation } from './table-sql'

const boats: Relation = { schema: 'public', name: 'boats', kind: 'table', rls: false }
const odd: Relation = { schema: 'Sea', name: 'odd "name"; drop', kind: 'partitioned', rls: true }

describe('changes of a table', () => {
  it('are one statement, quoted if necessary', () => {
    expect(newSchema('My "reports"').sql).toBe('create schema "My ""reports""";')
    expect(enableRls(boats).sql).toBe('alter table public.boats enable row level security;')
    expect(renameTable(boats, 'Ships').sql).toBe('alter table public.boats rename to "Ships";')
    expect(truncateTable(odd).sql).toBe('truncate table "Sea"."odd ""name""; drop";')
    expect(dropTable(odd).sql).toBe('drop table "Sea"."odd ""name""; drop";')
  })

  it('distinguish views from tables', () => {
    expect(dropTable({ ...boats, kind: 'view' }).sql).toBe('drop view public.boats;')
    expect(renameTable({ ...boats, kind: 'materialized' }, 'ships').sql).toBe(
      'alter materialized view public.boats rename to ships;',
    )
    expect(dropTable({ ...boats, kind: 'foreign' }).sql).toBe('drop foreign table public.boats;')
  })

  it('become migrations, except changes of rows', () => {
    expect(enableRls(boats).migration).toBe('enable_rls_boats')
    expect(renameTable(boats, 'Ships').migration).toBe('rename_boats_to_ships')
    expect(dropTable(boats).migration).toBe('drop_boats')
    expect(truncateTable(boats).migration).toBeUndefined()
  })

  it('differ for relations with rows of their own', () => {
    expect(isTable(odd)).toBe(true)
    expect(isTable({ kind: 'view' })).toBe(false)
    expect(isTable({ kind: 'foreign' })).toBe(false)
  })
})
