import { useMemo, useState } from 'react'
import { blockOf } from './block'
import { clamp, type Place } from './grid-keys'

/** The current cell and the selected block. The block extends from the cell where the selection began to the current cell. */
export function useBlock(rows: number, columns: number) {
  const [current, setCurrent] = useState<Place>({ row: 0, column: 0 })
  /** The cell where the selection began. `undefined` if only the current cell is selected. */
  const [begun, setBegun] = useState<Place>()
  const block = useMemo(() => blockOf(begun ?? current, current), [begun, current])
  /** Moves to a cell. @param isExtending whether the selected block is extended to this cell; otherwise only this cell is selected */
  const go = (next: Place, isExtending = false): Place => {
    const to = { row: clamp(next.row, rows), column: clamp(next.column, columns) }
    setBegun(isExtending ? (begun ?? current) : undefined)
    setCurrent(to)
    return to
  }
  const isMany = block.rows[0] !== block.rows[1] || block.columns[0] !== block.columns[1]
  return { current, block, isMany, go }
}
