import { describe, expect, it } from 'vitest'
import type { TableColumn } from '@/lib/schema'
import { columnSql, type ColumnForm } from './column-sql'
import { tableSql } from './new-table'

const boats = { schema: 'public', name: 'Boats' }
const form: ColumnForm = {
  name: 'mood',
  type: 'public.mood',
  isRequired: false,
  default: '',
  comment: '',
  references: '',
  onDelete: 'no action',
}

describe('the SQL of a column', () => {
  it('adds a column, with a reference and its action on deletion', () => {
    expect(columnSql(boats, undefined, form)).toBe('alter table public."Boats" add column mood public.mood;')
    const owner = {
      ...form,
      name: 'owner',
      type: 'uuid',
      isRequired: true,
      references: 'auth.users',
      onDelete: 'cascade' as const,
    }
    expect(columnSql(boats, undefined, { ...owner, default: ' auth.uid() ', comment: "the captain's" })).toBe(
      `alter table public."Boats" add column owner uuid not null default auth.uid() references auth.users on delete cascade;\n` +
        `comment on column public."Boats".owner is 'the captain''s';`,
    )
  })

  it('adds a foreign key to an existing column, with its new name', () => {
    const before = { name: 'mood', type: 'public.mood', nullable: true, default: null, comment: null } as TableColumn
    const refers = { ...form, references: 'moods', onDelete: 'set null' as const }
    expect(columnSql(boats, before, refers)).toBe(
      'alter table public."Boats" add foreign key (mood) references public.moods on delete set null;',
    )
    expect(columnSql(boats, before, { ...refers, name: 'Temper' })).toBe(
      'alter table public."Boats" rename column mood to "Temper";\n' +
        'alter table public."Boats" add foreign key ("Temper") references public.moods on delete set null;',
    )
  })

  it('changes only what is different', () => {
    const before = { name: 'mood', type: 'public.mood', nullable: true, default: null, comment: null } as TableColumn
    expect(columnSql(boats, before, form)).toBe('')
    expect(columnSql(boats, before, { ...form, name: 'temper', isRequired: true })).toBe(
      'alter table public."Boats" rename column mood to temper;\nalter table public."Boats" alter column temper set not null;',
    )
  })
})

describe('the SQL of a table', () => {
  it('contains references with their action on deletion', () => {
    const column = {
      name: 'id',
      type: 'bigint',
      isRequired: false,
      isUnique: false,
      default: '',
      references: '',
      onDelete: 'cascade' as const,
    }
    const school = { ...column, name: 'school', references: 'public."The Schools"' }
    expect(tableSql({ schema: 'public', name: 'boats', columns: [column, school], hasRls: true, isLive: false })).toBe(
      'create table public.boats (\n  id bigint,\n  school bigint references public."The Schools" on delete cascade\n);\n\n' +
        'alter table public.boats enable row level security;',
    )
  })
})
