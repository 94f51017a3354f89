/** Computes the boxes for tables and the lines for foreign keys. */
import type { DiagramReference, DiagramTable } from '@/lib/catalog'
import { unqualified } from '@/lib/sql-text'
import { layout, type Point, type Size } from './layout'

export const BOX_WIDTH = 248
export const HEAD_HEIGHT = 34
export const ROW_HEIGHT = 24
/** Space below the last row, in pixels. */
const FOOT = 6
/** Maximum number of columns drawn for a table. */
const MOST_COLUMNS = 40
/** Size in pixels of the symbols at the ends of a line. */
const MARK = 10

export interface TableBox extends Point, Size {
  id: string
  schema: string
  name: string
  columns: (DiagramTable['columns'][number] & { refers: boolean })[]
  /** Number of columns that the box does not show. */
  hidden: number
  /** Whether the table belongs to another schema. Then the box shows only its name. */
  isOutside: boolean
  /** Names of the tables that this table references. */
  references: string[]
}

export interface Line {
  key: string
  from: string
  to: string
  /** SVG path data. */
  path: string
}

export interface Drawing extends Size {
  boxes: TableBox[]
  lines: Line[]
}

const idOf = (schema: string, table: string) => JSON.stringify([schema, table])

export function draw(schema: string, tables: readonly DiagramTable[]): Drawing {
  const own = tables.map((table) => boxOf(schema, table))
  const known = new Set(own.map(({ id }) => id))
  const outside = new Map<string, TableBox>()
  for (const { schema: other, table } of tables.flatMap(({ foreign_keys }) => foreign_keys)) {
    const id = idOf(other, table)
    if (!known.has(id)) outside.set(id, outsideBox(id, other, table))
  }
  const boxes = [...own, ...outside.values()]
  const keys = tables.flatMap(({ name, foreign_keys }) =>
    foreign_keys.map((key) => ({ key, from: idOf(schema, name), to: idOf(key.schema, key.table) })),
  )
  const { places, width, height } = layout(boxes, keys)
  const placed = boxes.map((box) => ({ ...box, ...places.get(box.id) }))
  const byId = new Map(placed.map((box) => [box.id, box]))
  const lines = keys.flatMap(({ key, from, to }) => {
    const [source, target] = [byId.get(from), byId.get(to)]
    return source && target ? [{ key: `${from} ${key.name}`, from, to, path: pathOf(source, target, key) }] : []
  })
  return { boxes: placed, lines, width, height }
}

function boxOf(schema: string, { name, columns, foreign_keys }: DiagramTable): TableBox {
  const referring = new Set(foreign_keys.flatMap((key) => key.columns))
  const shown = columns.slice(0, MOST_COLUMNS)
  const hidden = columns.length - shown.length
  const rows = shown.length + (hidden > 0 ? 1 : 0)
  return {
    id: idOf(schema, name),
    schema,
    name,
    columns: shown.map((column) => ({ ...column, type: unqualified(column.type, schema), refers: referring.has(column.name) })),
    hidden,
    isOutside: false,
    references: [...new Set(foreign_keys.map((key) => (key.schema === schema ? key.table : `${key.schema}.${key.table}`)))],
    x: 0,
    y: 0,
    width: BOX_WIDTH,
    height: HEAD_HEIGHT + (rows > 0 ? rows * ROW_HEIGHT + FOOT : 0),
  }
}

const outsideBox = (id: string, schema: string, name: string): TableBox => ({
  id,
  schema,
  name,
  columns: [],
  hidden: 0,
  isOutside: true,
  references: [],
  x: 0,
  y: 0,
  width: BOX_WIDTH,
  height: HEAD_HEIGHT,
})

/** The vertical position at which a line meets a box: at the column; at the last row if the column is not shown; at the name if there are no rows. */
function levelOf(box: TableBox, column: string | undefined): number {
  if (box.columns.length === 0) return box.y + HEAD_HEIGHT / 2
  const found = box.columns.findIndex(({ name }) => name === column)
  const row = found < 0 ? box.columns.length : found
  return Math.min(box.y + HEAD_HEIGHT + (row + 0.5) * ROW_HEIGHT, box.y + box.height - FOOT)
}

/** SVG path from the side of one box to the side of the other. The symbols at its ends stand for “many” and “one”. */
function pathOf(source: TableBox, target: TableBox, { columns, referenced }: DiagramReference): string {
  const [y1, y2] = [levelOf(source, columns[0]), levelOf(target, referenced[0])]
  const isRight = target.x >= source.x + source.width
  const isLeft = target.x + target.width <= source.x
  // 1 means that the line leaves the box to the right. If the boxes are one above the other, both ends of the line are at the right sides.
  const [d1, d2] = [isLeft ? -1 : 1, isRight ? -1 : 1]
  const [x1, x2] = [d1 < 0 ? source.x : source.x + source.width, d2 < 0 ? target.x : target.x + target.width]
  const bend = Math.max(40, Math.abs(x2 - x1) / 2)
  return [
    `M${x1} ${y1 - MARK / 2}L${x1 + d1 * MARK} ${y1}L${x1} ${y1 + MARK / 2}`,
    `M${x1} ${y1}C${x1 + d1 * bend} ${y1} ${x2 + d2 * bend} ${y2} ${x2} ${y2}`,
    `M${x2 + d2 * MARK} ${y2 - MARK / 2}v${MARK}`,
  ].join('')
}
