/** The table of docs/dashboard-tasks.md: which tasks it has, and how many clicks they need. */
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const page = resolve(import.meta.dirname, '../../../docs/dashboard-tasks.md')

export interface Count {
  /** Clicks of each part of the task. */
  clicks: number[]
  /** Keys that do not write text, such as Enter, and shortcuts. */
  keys: number
}

/** Positions of the columns in the table. */
const columns = { name: 1, clicks: 3, keys: 4 }

const lines = () => readFileSync(page, 'utf8').split('\n')
const cells = (line: string) => line.split('|').map((cell) => cell.trim())
const nameOf = (line: string) => (line.startsWith('| ') ? cells(line)[columns.name] : undefined)

/** Names of all tasks of the page. */
export const taskNames = () => lines().map(nameOf).filter((name) => name !== undefined && name !== 'task')

function find(name: string, of: readonly string[]) {
  const at = of.findIndex((line) => nameOf(line) === name)
  const line = of[at]
  if (line === undefined) throw new Error(`docs/dashboard-tasks.md has no task “${name}”`)
  return { at, row: cells(line) }
}

/** The number of clicks and keys that the page states. */
export function documented(name: string): Count {
  const { row } = find(name, lines())
  return { clicks: (row[columns.clicks] ?? '').split('+').map(Number), keys: Number(row[columns.keys]) }
}

export function record(name: string, { clicks, keys }: Count) {
  const all = lines()
  const { at, row } = find(name, all)
  row[columns.clicks] = clicks.join(' + ')
  row[columns.keys] = String(keys)
  all[at] = row.join(' | ').trim()
  writeFileSync(page, all.join('\n'))
}
