/**
 * Places boxes that are connected by links. Connected boxes form a group. Within a group, a box is to the right of the boxes to which it has a link,
 * and the boxes of a column are ordered by the positions of the boxes they are connected to. The groups are placed in rows, the largest first; boxes
 * without links are last.
 */

export interface Box {
  id: string
  width: number
  height: number
}

export interface Link {
  from: string
  to: string
}

export interface Point {
  x: number
  y: number
}

export interface Size {
  width: number
  height: number
}

export interface Layout extends Size {
  places: ReadonlyMap<string, Point>
}

/** Gaps in pixels: between columns, between the boxes of a column, between groups. */
const COLUMN_GAP = 96
const BOX_GAP = 28
const GROUP_GAP = 64
/** Number of passes over the columns, to the right and back. Each pass moves boxes nearer to the boxes they are connected to. */
const SWEEPS = 6
/** Ratio of width to height of the whole drawing. */
const ASPECT = 1.6

type Neighbours = ReadonlyMap<string, readonly string[]>

export function layout(boxes: readonly Box[], links: readonly Link[]): Layout {
  const known = new Set(boxes.map(({ id }) => id))
  const real = links.filter(({ from, to }) => from !== to && known.has(from) && known.has(to))
  const neighbours = group(real.flatMap(({ from, to }) => [[from, to] as const, [to, from] as const]))
  const targets = group(real.map(({ from, to }) => [from, to] as const))
  return pack(connected(boxes, neighbours).map((part) => layoutGroup(part, targets, neighbours)))
}

function group(pairs: readonly (readonly [string, string])[]): Neighbours {
  const found = new Map<string, string[]>()
  for (const [from, to] of pairs) {
    const known = found.get(from)
    if (!known) found.set(from, [to])
    else if (!known.includes(to)) known.push(to)
  }
  return found
}

/** Returns the groups of connected boxes. */
function connected(boxes: readonly Box[], neighbours: Neighbours): Box[][] {
  const byId = new Map(boxes.map((box) => [box.id, box]))
  const seen = new Set<string>()
  const groups: Box[][] = []
  for (const { id } of boxes) {
    if (seen.has(id)) continue
    seen.add(id)
    const part = [id]
    // The loop appends to `part`, and also visits the boxes that it appends.
    for (const one of part)
      for (const next of neighbours.get(one) ?? []) {
        if (seen.has(next)) continue
        seen.add(next)
        part.push(next)
      }
    groups.push(part.flatMap((one) => byId.get(one) ?? []))
  }
  return groups
}

function layoutGroup(boxes: readonly Box[], targets: Neighbours, neighbours: Neighbours): Layout {
  const area = boxes.reduce((sum, { width, height }) => sum + (width + COLUMN_GAP) * (height + BOX_GAP), 0)
  const tallest = Math.max(...boxes.map(({ height }) => height))
  const limit = Math.max(tallest, Math.sqrt(area / ASPECT))
  const columns = ordered(byRank(boxes, targets), neighbours).flatMap((column) => split(column, limit))
  const heights = columns.map((column) => column.reduce((sum, { height }) => sum + height + BOX_GAP, -BOX_GAP))
  const height = Math.max(...heights)
  const places = new Map<string, Point>()
  let x = 0
  columns.forEach((column, index) => {
    let y = (height - (heights[index] ?? 0)) / 2
    for (const box of column) {
      places.set(box.id, { x, y })
      y += box.height + BOX_GAP
    }
    x += Math.max(...column.map(({ width }) => width)) + COLUMN_GAP
  })
  return { places, width: x - COLUMN_GAP, height }
}

/** Puts the boxes into columns. Each box is in a later column than all boxes to which it has a link. Links that would close a cycle are ignored. */
function byRank(boxes: readonly Box[], targets: Neighbours): Box[][] {
  const ranks = new Map<string, number>()
  const open = new Set<string>()
  const rank = (id: string): number => {
    const known = ranks.get(id)
    if (known !== undefined) return known
    open.add(id)
    const before = (targets.get(id) ?? []).filter((next) => !open.has(next)).map(rank)
    open.delete(id)
    const found = Math.max(-1, ...before) + 1
    ranks.set(id, found)
    return found
  }
  const columns: Box[][] = []
  for (const box of boxes) (columns[rank(box.id)] ??= []).push(box)
  // Boxes in cycles can leave empty slots in `columns`. `Array.from` fills these slots too.
  return Array.from(columns, (column: Box[] | undefined) => column ?? []).filter((column) => column.length > 0)
}

/** Sorts the boxes of each column by the mean position of the boxes they are connected to. */
function ordered(columns: readonly Box[][], neighbours: Neighbours): Box[][] {
  const sorted = columns.map((column) => [...column])
  const position = new Map<string, number>()
  const note = (column: readonly Box[]) => column.forEach(({ id }, index) => position.set(id, index / column.length))
  sorted.forEach(note)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1)
    for (const column of sweep % 2 === 0 ? sorted : sorted.toReversed()) {
      const means = new Map(column.map(({ id }) => [id, mean(id, neighbours, position)]))
      column.sort((a, b) => (means.get(a.id) ?? 0) - (means.get(b.id) ?? 0))
      note(column)
    }
  return sorted
}

function mean(id: string, neighbours: Neighbours, position: ReadonlyMap<string, number>): number {
  const all = neighbours.get(id) ?? []
  if (all.length === 0) return position.get(id) ?? 0
  return all.reduce((sum, next) => sum + (position.get(next) ?? 0), 0) / all.length
}

/** Splits a column into parts that are not higher than the limit. This is needed because hundreds of tables may reference one table. */
function split(column: readonly Box[], limit: number): Box[][] {
  const parts: Box[][] = []
  let height = Infinity
  for (const box of column) {
    if (height + box.height > limit) {
      parts.push([])
      height = 0
    }
    parts.at(-1)?.push(box)
    height += box.height + BOX_GAP
  }
  return parts
}

/** Places the groups in rows. */
function pack(groups: readonly Layout[]): Layout {
  const area = groups.reduce((sum, { width, height }) => sum + (width + GROUP_GAP) * (height + GROUP_GAP), 0)
  const widest = Math.max(0, ...groups.map(({ width }) => width))
  const limit = Math.max(widest, Math.sqrt(area * ASPECT))
  const sorted = [...groups].sort((a, b) => b.places.size - a.places.size || b.height - a.height)
  const places = new Map<string, Point>()
  let [x, y, rowHeight, width] = [0, 0, 0, 0]
  for (const one of sorted) {
    if (x > 0 && x + one.width > limit) {
      y += rowHeight + GROUP_GAP
      ;[x, rowHeight] = [0, 0]
    }
    for (const [id, place] of one.places) places.set(id, { x: place.x + x, y: place.y + y })
    width = Math.max(width, x + one.width)
    rowHeight = Math.max(rowHeight, one.height)
    x += one.width + GROUP_GAP
  }
  return { places, width, height: y + rowHeight }
}
