import { dueDate } from '../shared/due-date'
import type { Season } from './queries/list-seasons'

/**
 * Describes the state of a season's forms, such as "open until Oct 31, 2026". This text is only displayed: whether an entry is accepted is decided by
 * the database and its clock.
 */
export function entryState({ opens_on, opens_at, deadline_on, closes_at, ends_at }: Season, now = Date.now()): string {
  if (opens_at !== null && Date.parse(opens_at) > now) return `from ${dueDate(opens_on)} on`
  if (closes_at !== null && Date.parse(closes_at) <= now) return `closed since ${dueDate(deadline_on)}`
  if (Date.parse(ends_at) <= now) return '-'
  return deadline_on === null ? 'open, no last day is set' : `open until ${dueDate(deadline_on)}`
}
