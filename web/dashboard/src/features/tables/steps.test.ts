import { describe, expect, it } from 'vitest'
import type { Edit } from './edits'
import { noSteps, redo, saved, step, undo } from './steps'

const set = (value: string): Edit => ({ kind: 'set', row: '1', key: { id: '1' }, column: 'a', value })
const [one, two, three] = [set('1'), set('2'), set('3')]

describe('steps', () => {
  it('are undone completely, and redone in their order', () => {
    const both = step(step(noSteps, [one]), [two, three])
    const first = undo(both)
    expect(first.done).toEqual([[one]])
    const none = undo(first)
    expect(none.done).toEqual([])
    expect(undo(none)).toEqual(none)
    expect(redo(none).done).toEqual([[one]])
    expect(redo(redo(none)).done).toEqual([[one], [two, three]])
    expect(redo(both)).toEqual(both)
  })

  it('cannot be redone after another step', () => {
    const other = step(undo(step(noSteps, [one])), [two])
    expect(redo(other).done).toEqual([[two]])
  })

  it('keep edits that were made while others were saved', () => {
    const all = step(step(noSteps, [one, two]), [three])
    expect(saved(all, [one, two])).toEqual({ done: [[three]], undone: [] })
    expect(saved(all, [one])).toEqual({ done: [[two], [three]], undone: [] })
  })

  it('are not created without an edit', () => {
    expect(step(noSteps, [])).toEqual(noSteps)
  })
})
