import type { StatementResult } from './model'

const numeric = /^(smallint|integer|bigint|numeric|real|double precision|money)/
const temporal = /^(date|timestamp)/

/** Maximum number of rows in a chart. */
export const mostRows = 200

/** Columns that a chart can use: any column for the labels, a column of numbers for the values. */
export interface Chartable {
  /** Column indexes for the x axis and for the y axis. */
  labels: number[]
  values: number[]
  /** Columns that are selected at first. */
  label: number
  value: number
  /** Whether a line chart is suitable: the rows follow each other in time. */
  isLine: boolean
}

export function chartable({ columns, rows }: Pick<StatementResult, 'columns' | 'rows'>): Chartable | undefined {
  const values = columns.flatMap(({ type }, index) => (numeric.test(type) ? [index] : []))
  if (rows.length < 2 || values.length === 0) return undefined
  const words = columns.flatMap((_, index) => (values.includes(index) ? [] : [index]))
  // In a result with only columns of numbers, the first one gives the labels, unless it is the only one.
  const labels = [...words, ...values]
  const label = labels[0] ?? 0
  const value = values.find((index) => index !== label) ?? label
  return { labels, values, label, value, isLine: temporal.test(columns[label]?.type ?? '') }
}

export interface Point {
  label: string
  /** The number as PostgreSQL wrote it. */
  text: string
  value: number
}

/** Parses a number as PostgreSQL writes it; `money` has a currency sign and thousands separators. `undefined` for null and for other texts. */
export function numberOf(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined
  const digits = text.replaceAll(/[^\d.eE+-]/g, '')
  const value = Number(digits)
  return digits === '' || !Number.isFinite(value) ? undefined : value
}

/** The points of a chart. Rows without a number are left out. */
export function pointsOf({ rows }: Pick<StatementResult, 'rows'>, label: number, value: number): Point[] {
  return rows.slice(0, mostRows).flatMap((row) => {
    const number = numberOf(row[value])
    return number === undefined ? [] : [{ label: row[label] ?? 'null', text: row[value] ?? '', value: number }]
  })
}

/** Ends of the axis, which always includes zero. */
export function axisOf(points: readonly Point[]): { low: number; high: number } {
  const all = points.map(({ value }) => value)
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)]
  return low === high ? { low, high: low + 1 } : { low, high }
}
