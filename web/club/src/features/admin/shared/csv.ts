import Papa from 'papaparse'
import { saveBlob } from './save-blob'

/** A value of a cell. */
type Cell = string | number | boolean | null | undefined | string[]

export type Sheet = Record<string, Cell>[]

/**
 * Converts a sheet to CSV for spreadsheet programs. The file begins with a byte order mark for UTF-8. An apostrophe is put before every text that a
 * spreadsheet program would execute as a formula, because visitors type these texts and must not be able to execute anything on the club's computers.
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

/** Downloads a sheet as a CSV file. The file's name ends with the date. */
export function saveCsv(name: string, sheet: Sheet) {
  const day = new Date().toISOString().slice(0, 10)
  saveBlob(new Blob([toCsv(sheet)], { type: 'text/csv;charset=utf-8' }), `${name}-${day}.csv`)
}
