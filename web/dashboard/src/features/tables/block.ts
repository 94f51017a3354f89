/**
 * A block of cells between two corners. Computes the values that are copied, and the edits that result from a paste. This module has no side effects.
 */
import type { TableColumn, TableDetail } from '@/lib/schema'
import { edited, rowName, type Edit, type Key, type Value } from './edits'
import { isFixed, keyOf, type Place } from './grid-keys'
import type { Row } from './use-rows'

/** First and last index, both included. */
export type Range = readonly [first: number, last: number]

export interface Block {
  rows: Range
  columns: Range
}

const range = (one: number, other: number): Range => [Math.min(one, other), Math.max(one, other)]

export const blockOf = (one: Place, other: Place): Block => ({
  rows: range(one.row, other.row),
  columns: range(one.column, other.column),
})

const size = ([first, last]: Range) => last - first + 1

const indexes = ([first, last]: Range) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** The rows and columns of the grid that contains the block. */
export interface Sheet {
  table: TableDetail
  total: number
  /** Returns a row; `undefined` if it has not been read yet. */
  row: (index: number) => Row | undefined
  editsOf: (row: Row) => readonly Edit[]
}

interface Refused {
  refused: string
}

/** Maximum number of rows that one request changes. The server refuses more. */
const mostRows = 500

const plural = (count: number, noun: string) => `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** The size of a block as a text. */
export const blockWords = ({ rows, columns }: Block) => `${plural(size(rows), 'row')} × ${plural(size(columns), 'column')}`

/** The values of a block as they are shown, including unsaved edits. If they cannot be copied, the reason. */
export function copied({ row, table, editsOf }: Sheet, { rows, columns }: Block): { values: (string | null)[][] } | Refused {
  const values: (string | null)[][] = []
  for (let index = rows[0]; index <= rows[1]; index += 1) {
    const found = row(index)
    if (!found) return { refused: unloaded(rows, index) }
    const edits = editsOf(found)
    const line: (string | null)[] = []
    for (const place of indexes(columns)) {
      const column = table.columns[place]
      const change = column && edited(edits, column.name)
      if (column && change === undefined && found.cut.has(place))
        return { refused: `Row ${index + 1} has only a part of ${column.name} here. Open the row to copy the whole value.` }
      line.push(drawn(column, change === undefined ? (found.values[place] ?? null) : change))
    }
    values.push(line)
  }
  return { values }
}

function unloaded(rows: Range, missing: number): string {
  const loaded = missing - rows[0]
  const many = plural(size(rows), 'row')
  if (loaded === 0) return `The first of the ${many} is not loaded. Scroll to it.`
  return `Only the first ${plural(loaded, 'row')} of ${many} can be copied: the others are not loaded. Choose ${loaded.toLocaleString('en')} at most, or scroll through the others first.`
}

/** The text that a cell shows for a value. */
function drawn(column: TableColumn | undefined, value: Value): string | null {
  if (value === null || typeof value === 'object') return null
  return column?.base === 'boolean' ? String(value === 't' || value === 'true') : value
}

const yes = new Set(['t', 'true', 'yes', 'on', '1'])
const no = new Set(['f', 'false', 'no', 'off', '0'])

/** Converts a pasted text to a value of the column. @returns undefined if the column cannot have this value */
function valueOf(column: TableColumn, field: string): string | null | undefined {
  if (field === '' && column.nullable && column.base !== 'text') return null
  if (column.base !== 'boolean') return field
  const word = field.trim().toLowerCase()
  return yes.has(word) ? 'true' : no.has(word) ? 'false' : undefined
}

/** The edits that write the pasted texts into the cells, beginning at a position. If nothing can be pasted, the reason. */
export function pasted(sheet: Sheet, at: Place, fields: readonly (readonly string[])[]): { edits: Edit[] } | Refused {
  const { table, total } = sheet
  const width = Math.max(...fields.map((line) => line.length))
  const [columnsLeft, rowsLeft] = [table.columns.length - at.column, total - at.row]
  if (width > columnsLeft)
    return { refused: `The text has ${plural(width, 'column')}. From this cell on there is room for ${columnsLeft}.` }
  if (fields.length > rowsLeft)
    return { refused: `The text has ${plural(fields.length, 'row')}. From this cell on there is room for ${rowsLeft}.` }
  if (fields.length > mostRows)
    return { refused: `The text has ${plural(fields.length, 'row')}. At most ${mostRows} are changed at once.` }
  const columns = table.columns.slice(at.column, at.column + width)
  const fixed = columns.find(isFixed)
  if (fixed) return { refused: `Values of ${fixed.name} are made by the database.` }
  const edits: Edit[] = []
  for (const [line, texts] of fields.entries()) {
    const made = pastedRow(sheet, { row: at.row + line, column: at.column }, columns, texts)
    if ('refused' in made) return made
    edits.push(...made.edits)
  }
  return { edits }
}

function pastedRow(
  { table, row, editsOf }: Sheet,
  at: Place,
  columns: readonly TableColumn[],
  texts: readonly string[],
): { edits: Edit[] } | Refused {
  const found = row(at.row)
  const name = `Row ${(at.row + 1).toLocaleString('en')}`
  if (!found) return { refused: `${name} is not loaded. Scroll to it first.` }
  const key = keyOf(table, found)
  const before = editsOf(found)
  if (!key) return { refused: `${name} cannot be told from others: its key is too long.` }
  if (before.some(({ kind }) => kind === 'delete')) return { refused: `${name} is to be deleted.` }
  const edits: Edit[] = []
  for (const [index, column] of columns.slice(0, texts.length).entries()) {
    const place = at.column + index
    const field = texts[index] ?? ''
    const change = edited(before, column.name)
    if (change === undefined && found.cut.has(place))
      return { refused: `${name} has only a part of ${column.name} here. Open the row to change it.` }
    const value = valueOf(column, field)
    if (value === undefined) return { refused: `“${field}” cannot be a value of ${column.name}, which is true or false.` }
    if (value !== drawn(column, change === undefined ? (found.values[place] ?? null) : change))
      edits.push({ kind: 'set', row: rowName(key), key, column: column.name, value })
  }
  return { edits }
}

/** The edits that set all cells of a block to null. If this is not possible, the reason. */
export function nulled(sheet: Sheet, { rows, columns }: Block): { edits: Edit[] } | Refused {
  const { table, row } = sheet
  if (size(rows) > mostRows)
    return { refused: `${plural(size(rows), 'row')} are chosen. At most ${mostRows} are changed at once.` }
  const nullable = indexes(columns).flatMap((place) => {
    const column = table.columns[place]
    return column && column.nullable && !isFixed(column) ? [{ place, name: column.name }] : []
  })
  if (nullable.length === 0) return { refused: 'No chosen column can be null.' }
  const missing = indexes(rows).find((index) => !row(index))
  if (missing !== undefined) return { refused: `Row ${missing + 1} is not loaded. Scroll to it first.` }
  return { edits: indexes(rows).flatMap((index) => nulledRow(sheet, index, nullable)) }
}

function nulledRow(
  { table, row, editsOf }: Sheet,
  index: number,
  nullable: readonly { place: number; name: string }[],
): Edit[] {
  const found = row(index)
  const key = found && keyOf(table, found)
  if (!key) return []
  const before = editsOf(found)
  if (before.some(({ kind }) => kind === 'delete')) return []
  return nullable.filter(({ place, name }) => !isNull(found, place, edited(before, name))).map(({ name }) => setNull(key, name))
}

const isNull = (row: Row, place: number, change: Value | undefined) =>
  change === undefined ? row.values[place] === null && !row.cut.has(place) : change === null

const setNull = (key: Key, column: string): Edit => ({ kind: 'set', row: rowName(key), key, column, value: null })
