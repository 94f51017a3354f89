import { describe, expect, it } from 'vitest'
import { edited, rowName, toChanges, type Edit } from './edits'

const key = { id: '1' }
const row = rowName(key)
const set = (column: string, value: string | null): Edit => ({ kind: 'set', row, key, column, value })

describe('edits', () => {
  it('draws the last value of a cell, and none of other cells', () => {
    const edits = [set('a', '1'), set('b', '2'), set('a', null)]
    expect(edited(edits, row, 'a')).toBeNull()
    expect(edited(edits, row, 'b')).toBe('2')
    expect(edited(edits, row, 'c')).toBeUndefined()
    expect(edited(edits, rowName({ id: '2' }), 'a')).toBeUndefined()
  })

  it('makes one update of each row', () => {
    expect(toChanges('public', 'notes', [set('a', '1'), set('b', '2'), set('a', '3')])).toEqual([
      { kind: 'update', schema: 'public', table: 'notes', key, values: { a: '3', b: '2' } },
    ])
  })

  it('only deletes a row that was changed before, and changes none that is deleted', () => {
    const remove: Edit = { kind: 'delete', row, key }
    const deletion = [{ kind: 'delete', schema: 'public', table: 'notes', key }]
    expect(toChanges('public', 'notes', [set('a', '1'), remove])).toEqual(deletion)
    expect(toChanges('public', 'notes', [remove, set('a', '1')])).toEqual(deletion)
  })
})
