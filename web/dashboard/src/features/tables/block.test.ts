import { describe, expect, it } from 'vitest'
import type { TableColumn, TableDetail } from '@/lib/schema'
import { blockOf, blockWords, copied, nulled, pasted, type Sheet } from './block'
import { rowName, type Edit } from './edits'
import type { Row } from './use-rows'

const column = (name: string, of: Partial<TableColumn>): TableColumn => ({
  name,
  type: 'text',
  base: 'text',
  nullable: true,
  default: null,
  identity: null,
  generated: false,
  comment: null,
  values: null,
  enum: null,
  ...of,
})

const table = {
  name: 'boats',
  key: ['id'],
  columns: [
    column('id', { base: 'number', nullable: false, identity: 'default' }),
    column('name', {}),
    column('length', { base: 'number' }),
    column('afloat', { base: 'boolean', nullable: false }),
    column('twice', { base: 'number', generated: true }),
  ],
} as unknown as TableDetail

const row = (id: number, ...values: (string | null)[]): Row => ({ values: [String(id), ...values], cut: new Set() })
const rows: (Row | undefined)[] = [
  row(1, 'Skiff', '6', 't', '12'),
  row(2, 'two\tmasts', null, 'f', null),
  { values: ['3', 'a long', '7', 't', '14'], cut: new Set([1]) },
  undefined,
]

const sheet = (edits: readonly Edit[] = []): Sheet => ({
  table,
  total: rows.length,
  row: (index) => rows[index],
  editsOf: (found) => edits.filter(({ row: name }) => name === rowName({ id: found.values[0] ?? '' })),
})

const set = (id: string, name: string, value: string | null): Edit => ({
  kind: 'set',
  row: rowName({ id }),
  key: { id },
  column: name,
  value,
})
const remove = (id: string): Edit => ({ kind: 'delete', row: rowName({ id }), key: { id } })
const at = (place: number, columnPlace: number) => ({ row: place, column: columnPlace })

describe('a block', () => {
  it('is between any two corners', () => {
    expect(blockOf(at(3, 1), at(1, 2))).toEqual({ rows: [1, 3], columns: [1, 2] })
    expect(blockWords(blockOf(at(3, 1), at(1, 1)))).toBe('3 rows × 1 column')
  })

  it('is copied as it is displayed, including unsaved values', () => {
    expect(copied(sheet([set('2', 'length', '9')]), blockOf(at(0, 1), at(1, 3)))).toEqual({
      values: [
        ['Skiff', '6', 'true'],
        ['two\tmasts', '9', 'false'],
      ],
    })
  })

  it('is not copied if a part is not loaded, and the message contains the possible size', () => {
    expect(copied(sheet(), blockOf(at(0, 2), at(3, 2)))).toMatchObject({
      refused: /^Only the first 3 rows of 4 rows can be copied/,
    })
    expect(copied(sheet(), blockOf(at(3, 0), at(3, 0)))).toMatchObject({ refused: /not loaded/ })
    expect(copied(sheet(), blockOf(at(1, 0), at(2, 1)))).toMatchObject({ refused: /^Row 3 has only a part of name/ })
    // The grid has only a part of the stored value. The value that the user typed is complete, so it can be copied.
    expect(copied(sheet([set('3', 'name', 'short')]), blockOf(at(2, 1), at(2, 1)))).toEqual({ values: [['short']] })
  })
})

describe('a paste', () => {
  it('becomes an edit of each value that it changes', () => {
    const fields = [
      ['Skiff', '8'],
      ['Gig', ''],
    ]
    expect(pasted(sheet(), at(0, 1), fields)).toEqual({ edits: [set('1', 'length', '8'), set('2', 'name', 'Gig')] })
  })

  it('sets null for an empty field only if the column is nullable and not a text', () => {
    expect(pasted(sheet(), at(0, 1), [['', '']])).toEqual({ edits: [set('1', 'name', ''), set('1', 'length', null)] })
  })

  it('accepts the booleans of spreadsheets', () => {
    expect(pasted(sheet(), at(1, 3), [['TRUE']])).toEqual({ edits: [set('2', 'afloat', 'true')] })
    expect(pasted(sheet(), at(1, 3), [['often']])).toMatchObject({ refused: /^“often” cannot be a value of afloat/ })
    expect(pasted(sheet(), at(1, 3), [['']])).toMatchObject({ refused: /afloat/ })
  })

  it('is refused completely if a part of it does not fit', () => {
    const refused = (place: number, columnPlace: number, fields: string[][], edits?: Edit[]) =>
      pasted(sheet(edits), at(place, columnPlace), fields)
    expect(refused(0, 3, [['t', '1', 'x']])).toMatchObject({
      refused: 'The text has 3 columns. From this cell on there is room for 2.',
    })
    expect(refused(2, 0, [['3'], ['4'], ['5']])).toMatchObject({
      refused: 'The text has 3 rows. From this cell on there is room for 2.',
    })
    expect(refused(0, 3, [['t', '1']])).toMatchObject({ refused: 'Values of twice are made by the database.' })
    expect(refused(1, 1, [['a'], ['b']])).toMatchObject({ refused: /^Row 3 has only a part of name/ })
    expect(refused(2, 2, [['1'], ['2']])).toMatchObject({ refused: 'Row 4 is not loaded. Scroll to it first.' })
    expect(refused(0, 1, [['a']], [remove('1')])).toMatchObject({ refused: 'Row 1 is to be deleted.' })
  })
})

describe('Delete', () => {
  it('sets null if possible', () => {
    expect(nulled(sheet(), blockOf(at(0, 0), at(2, 4)))).toEqual({
      edits: [
        set('1', 'name', null),
        set('1', 'length', null),
        set('2', 'name', null),
        set('3', 'name', null),
        set('3', 'length', null),
      ],
    })
    expect(nulled(sheet([remove('1')]), blockOf(at(0, 1), at(0, 1)))).toEqual({ edits: [] })
  })

  it('reports what is not possible', () => {
    expect(nulled(sheet(), blockOf(at(0, 3), at(0, 4)))).toEqual({ refused: 'No chosen column can be null.' })
    expect(nulled(sheet(), blockOf(at(2, 1), at(3, 1)))).toEqual({ refused: 'Row 4 is not loaded. Scroll to it first.' })
    expect(nulled(sheet(), blockOf(at(0, 1), at(500, 1)))).toMatchObject({ refused: /^501 rows are chosen/ })
  })
})
