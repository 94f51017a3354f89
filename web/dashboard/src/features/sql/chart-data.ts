import type { StatementResult } from './model'

const numeric = /^(smallint|integer|bigint|numeric|real|double precision|money)/
const temporal = /^(date|timestamp)/

/** Maximum number of rows in a chart. */
export const mostRows = 200

/** Columns that a chart can show. Any column can be used for the labels; the values need a column of numbers. */
export interface Chartable {
  /** Indexes of the columns that can be used for the labels. `values`: those for the values. */
  labels: number[]
  values: number[]
  /** Columns that are selected at first. */
  label: number
  value: number
  /** Whether the labels are dates or times, so that a line chart is suitable. */
  isLine: boolean
}

export function chartable({ columns, rows }: Pick<StatementResult, 'columns' | 'rows'>): Chartable | undefined {
  const values = columns.flatMap(({ type }, index) => (numeric.test(type) ? [index] : []))
  if (rows.length < 2 || values.length === 0) return undefined
  const words = columns.flatMap((_, index) => (values.includes(index) ? [] : [index]))
  // If all columns are numbers, the first one is used for the labels, unless it is the only column.
  const labels = [...words, ...values]
  const label = labels[0] ?? 0
  const value = values.find((index) => index !== label) ?? label
  return { labels, values, label, value, isLine: temporal.test(columns[label]?.type ?? '') }
}

export interface Point {
  label: string
  /** The number as PostgreSQL formats it. */
  text: string
  value: number
}

/**
 * Parses a number that PostgreSQL has formatted. `money` has a currency sign and thousands separators. `undefined` for null and for a text that is
 * not a number.
 */
export function numberOf(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined
  const digits = text.replaceAll(/[^\d.eE+-]/g, '')
  const value = Number(digits)
  return digits === '' || !Number.isFinite(value) ? undefined : value
}

/** The points of a chart. A row without a number has no point. */
export function pointsOf({ rows }: Pick<StatementResult, 'rows'>, label: number, value: number): Point[] {
  return rows.slice(0, mostRows).flatMap((row) => {
    const number = numberOf(row[value])
    return number === undefined ? [] : [{ label: row[label] ?? 'null', text: row[value] ?? '', value: number }]
  })
}

/** The two ends of the axis. The axis always contains zero. */
export function axisOf(points: readonly Point[]): { low: number; high: number } {
  const all = points.map(({ value }) => value)
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)]
  return low === high ? { low, high: low + 1 } : { low, high }
}
