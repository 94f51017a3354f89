import type { StatementResult } from './model'

const numeric = /^(smallint|integer|bigint|numeric|real|double precision|money)/
const temporal = /^(date|timestamp)/

/** Rows that a chart draws. */
export const mostRows = 200

/** The columns that a chart can draw: any names the rows, one of numbers is drawn. */
export interface Chartable {
  /** Columns for the x axis and for the y axis. */
  labels: number[]
  values: number[]
  /** The columns that are chosen at first. */
  label: number
  value: number
  /** Whether the rows are best joined by a line: they follow each other in time. */
  isLine: boolean
}

export function chartable({ columns, rows }: Pick<StatementResult, 'columns' | 'rows'>): Chartable | undefined {
  const values = columns.flatMap(({ type }, index) => (numeric.test(type) ? [index] : []))
  if (rows.length < 2 || values.length === 0) return undefined
  const words = columns.flatMap((_, index) => (values.includes(index) ? [] : [index]))
  // A result of numbers alone: the first one names the rows, unless it is the only one.
  const labels = [...words, ...values]
  const label = labels[0] ?? 0
  const value = values.find((index) => index !== label) ?? label
  return { labels, values, label, value, isLine: temporal.test(columns[label]?.type ?? '') }
}

export interface Point {
  label: string
  /** As PostgreSQL wrote it. */
  text: string
  value: number
}

/** A number as PostgreSQL writes it; money has a sign and groups. Nothing for null and for what is no number. */
export function numberOf(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined
  const digits = text.replaceAll(/[^\d.eE+-]/g, '')
  const value = Number(digits)
  return digits === '' || !Number.isFinite(value) ? undefined : value
}

/** The drawn rows; those without a number are left out. */
export function pointsOf({ rows }: Pick<StatementResult, 'rows'>, label: number, value: number): Point[] {
  return rows.slice(0, mostRows).flatMap((row) => {
    const number = numberOf(row[value])
    return number === undefined ? [] : [{ label: row[label] ?? 'null', text: row[value] ?? '', value: number }]
  })
}

/** The ends of an axis for the values; zero belongs to it. */
export function axisOf(points: readonly Point[]): { low: number; high: number } {
  const all = points.map(({ value }) => value)
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)]
  return low === high ? { low, high: low + 1 } : { low, high }
}
