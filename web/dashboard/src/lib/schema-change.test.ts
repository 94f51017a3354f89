import { describe, expect, it } from 'vitest'
import { schemaChange } from './schema-change'

describe('schemaChange', () => {
  it('names the migration after the first change', () => {
    for (const [sql, migration] of [
      ['create table public.boats (id int);', 'create_boats'],
      ['CREATE TABLE IF NOT EXISTS "Odd name; drop" (id int)', 'create_odd_name_drop'],
      ['select 1; -- then\nalter table only harbour.boats add column a int', 'alter_boats'],
      ['create or replace function public.add(a int) returns int language sql as $$ select 1; $$', 'create_function_add'],
      ['create policy "see all" on boats for select using (true)', 'create_policy_see_all'],
      ['grant select on boats to anon', 'grant'],
      ["comment on table boats is 'drop table x'", 'comment'],
      ['create unique index boats_name on boats (name)', 'create_index_boats_name'],
      ['create function f() returns int begin atomic select 1; end; drop table a', 'create_function_f'],
    ] as const)
      expect(schemaChange(sql)?.migration, sql).toBe(migration)
  })

  it('finds no change in data, texts, comments and temporary tables', () => {
    for (const sql of [
      '',
      'select 1',
      "insert into notes values ('create table x')",
      "insert into notes values (E'it\\'s; drop table x')",
      '-- create table x\nselect 1',
      '/* drop table x; */ update boats set name = $a$; drop table x; $a$',
      'select "a; drop table b" from c',
      'create temp table t (id int)',
      'create or replace temporary view v as select 1',
    ])
      expect(schemaChange(sql), sql).toBeUndefined()
  })

  it('leaves out statements that cannot run in a transaction', () => {
    for (const sql of [
      'create index concurrently a on b (c)',
      'create table a (b int); vacuum a',
      'begin; create table a (b int); rollback',
      'create database d',
      'alter table p detach partition q concurrently',
    ])
      expect(schemaChange(sql), sql).toBeUndefined()
  })
})
