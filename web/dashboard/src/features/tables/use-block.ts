import { useMemo, useState } from 'react'
import { blockOf } from './block'
import { clamp, type Place } from './grid-keys'

/** The current cell, and the block from the cell where its choosing began up to it. */
export function useBlock(rows: number, columns: number) {
  const [current, setCurrent] = useState<Place>({ row: 0, column: 0 })
  /** None: the current cell alone. */
  const [begun, setBegun] = useState<Place>()
  const block = useMemo(() => blockOf(begun ?? current, current), [begun, current])
  /** @param isExtending whether the block goes on to the new cell; else that cell is chosen alone */
  const go = (next: Place, isExtending = false): Place => {
    const to = { row: clamp(next.row, rows), column: clamp(next.column, columns) }
    setBegun(isExtending ? (begun ?? current) : undefined)
    setCurrent(to)
    return to
  }
  const isMany = block.rows[0] !== block.rows[1] || block.columns[0] !== block.columns[1]
  return { current, block, isMany, go }
}
