import { describe, expect, it } from 'vitest'
import { byRow, edited, rowName, toChanges, type Edit } from './edits'

const key = { id: '1' }
const row = rowName(key)
const set = (column: string, value: string | null): Edit => ({ kind: 'set', row, key, column, value })

describe('edits', () => {
  it('shows the last value of a cell, and no value for other cells', () => {
    const other: Edit = { ...set('a', 'of another row'), row: rowName({ id: '2' }) }
    const rows = byRow([set('a', '1'), set('b', '2'), other, set('a', null)])
    const edits = rows.get(row) ?? []
    expect(edited(edits, 'a')).toBeNull()
    expect(edited(edits, 'b')).toBe('2')
    expect(edited(edits, 'c')).toBeUndefined()
    expect(edited(rows.get(other.row) ?? [], 'a')).toBe('of another row')
    expect(rows.get(rowName({ id: '3' }))).toBeUndefined()
  })

  it('creates one update for each row', () => {
    expect(toChanges('public', 'notes', [set('a', '1'), set('b', '2'), set('a', '3')])).toEqual([
      { kind: 'update', schema: 'public', table: 'notes', key, values: { a: '3', b: '2' } },
    ])
  })

  it('only deletes a row that was changed before, and changes no deleted row', () => {
    const remove: Edit = { kind: 'delete', row, key }
    const deletion = [{ kind: 'delete', schema: 'public', table: 'notes', key }]
    expect(toChanges('public', 'notes', [set('a', '1'), remove])).toEqual(deletion)
    expect(toChanges('public', 'notes', [remove, set('a', '1')])).toEqual(deletion)
  })
})
