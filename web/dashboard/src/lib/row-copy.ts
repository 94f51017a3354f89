/** The temporary copy of the database from which rows and files of a backup are restored, and texts about it. */

/** A temporary copy of the database at a point in time. */
export type RowCopy =
  | { state: 'preparing'; step: 'base' | 'log' | 'replay' | 'check'; done: number; total: number }
  | { state: 'ready'; moment: string }
  | { state: 'failed'; message: string }

export interface Restorable {
  enabled: boolean
  /** The reason why this server cannot restore rows although it makes backups. Null if it can restore rows. */
  problem: string | null
  restorable_from: string | null
  restorable_until: string | null
  copy: RowCopy | null
}

export const restoreKey = ['restore-rows'] as const

const hour = 3_600_000
const pad = (number: number) => String(number).padStart(2, '0')

/** Formats a time for an input of the type datetime-local, in the browser's time zone. */
export const toField = (time: Date) =>
  `${time.getFullYear()}-${pad(time.getMonth() + 1)}-${pad(time.getDate())}T${pad(time.getHours())}:${pad(time.getMinutes())}:${pad(time.getSeconds())}`

/**
 * Minimum, maximum and initial value of the field for the time. They are whole seconds within the period that can be restored. The initial value is
 * one hour before the end of the period. `undefined` if the period contains no whole second, as before the first base backup is complete and for a
 * moment after that.
 */
export function limits({ restorable_from: from, restorable_until: until }: Restorable) {
  if (!from || !until) return undefined
  const first = Math.ceil(new Date(from).getTime() / 1000) * 1000
  const last = Math.floor(new Date(until).getTime() / 1000) * 1000
  if (last < first) return undefined
  const text = (time: number) => toField(new Date(time))
  return { min: text(first), max: text(last), value: text(Math.max(first, last - hour)) }
}

const steps = {
  base: 'The base backup is unpacked',
  log: 'The log is fetched',
  replay: 'PostgreSQL replays the log',
  check: 'The copy is checked',
}

export const stepText = ({ step, done, total }: Extract<RowCopy, { state: 'preparing' }>) =>
  `${steps[step]}${total > 1 ? `: ${Math.floor((100 * Math.min(done, total)) / total)} %` : ''}`
