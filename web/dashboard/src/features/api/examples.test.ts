import { describe, expect, it } from 'vitest'
import type { TableColumn, TableDetail } from '@/lib/schema'
import { tableExamples } from './examples'

const column = (name: string, more: Partial<TableColumn> = {}): TableColumn => ({
  name,
  type: 'text',
  base: 'text',
  nullable: false,
  default: null,
  identity: null,
  generated: false,
  comment: null,
  values: null,
  enum: null,
  ...more,
})
const table = (columns: TableColumn[], more: Partial<TableDetail> = {}): TableDetail => ({
  schema: 'public',
  name: 'notes',
  kind: 'table',
  rls: true,
  forced: false,
  rows: 0,
  bytes: null,
  comment: null,
  definition: null,
  primary_key: ['id'],
  key: ['id'],
  columns,
  foreign_keys: [],
  referenced_by: [],
  indexes: [],
  constraints: [],
  policies: [],
  triggers: [],
  publications: [],
  grants: [],
  ...more,
})
const shown = (detail: TableDetail) =>
  new Map(
    tableExamples(detail, { rest: 'http://x/rest/v1', url: 'http://x', key: 'k' }).map(({ title, supabase }) => [
      title,
      supabase,
    ]),
  )
const id = column('id', { base: 'number', identity: 'always' })

describe('examples of a table', () => {
  it('have no value for identity columns and generated columns', () => {
    const optional = column('body', { nullable: true })
    const made = column('size', { generated: true })
    const examples = shown(table([id, made, optional]))
    expect(examples.get('Add a row')).toContain('insert({"body":"a body"})')
    expect(examples.get('Change rows')).toContain('update({"body":"a body"})')
  })
  it('have values for required columns', () => {
    const examples = shown(
      table([id, column('title'), column('about', { nullable: true }), column('at', { default: 'now()' })]),
    )
    expect(examples.get('Add a row')).toContain('insert({"title":"a title"})')
  })
  it('subscribe only to a table in the publication of realtime', () => {
    const publication = { name: 'supabase_realtime', sends: true, named: true, whole: false }
    const columns = [id, column('body')]
    expect(shown(table(columns)).has('Listen to changes')).toBe(false)
    expect(shown(table(columns, { publications: [{ ...publication, sends: false }] })).has('Listen to changes')).toBe(false)
    expect(shown(table(columns, { publications: [{ ...publication, name: 'other' }] })).has('Listen to changes')).toBe(false)
    expect(shown(table(columns, { publications: [publication] })).get('Listen to changes')).toContain("'postgres_changes'")
  })
})
