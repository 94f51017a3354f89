import Papa from 'papaparse'
import { saveBlob } from './save-blob'

/** A value of a cell. */
type Cell = string | number | boolean | null | undefined | string[]

export type Sheet = Record<string, Cell>[]

/**
 * A sheet as CSV for spreadsheet programs: with a byte order mark for UTF-8, and with an apostrophe before every text that would otherwise be
 * executed as a formula, because visitors must not be able to run anything on the club's computers.
 */
export function toCsv(sheet: Sheet): string {
  const columns = [...new Set(sheet.flatMap((row) => Object.keys(row)))]
  const rows = sheet.map((row) => columns.map((column) => text(row[column])))
  return `\ufeff${Papa.unparse({ fields: columns, data: rows }, { escapeFormulae: true, newline: '\r\n' })}`
}

function text(cell: Cell): string | number {
  if (cell === null || cell === undefined) return ''
  if (Array.isArray(cell)) return cell.join('\n')
  return typeof cell === 'boolean' ? (cell ? 'yes' : 'no') : cell
}

/** Downloads a sheet as a file whose name ends with the date. */
export function saveCsv(name: string, sheet: Sheet) {
  const day = new Date().toISOString().slice(0, 10)
  saveBlob(new Blob([toCsv(sheet)], { type: 'text/csv;charset=utf-8' }), `${name}-${day}.csv`)
}
