import type { Season } from './queries/list-seasons'

/** Formats a date such as "2026-02-13" in the club's time zone. */
const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' })

/** The seasons whose personal data should have been deleted by now, oldest first. */
export function overdue(seasons: readonly Season[], now = new Date()): Season[] {
  const day = today.format(now)
  return seasons
    .filter(({ deleted_at, due_on }) => deleted_at === null && due_on <= day)
    .sort((a, b) => a.due_on.localeCompare(b.due_on))
}

/** Whether the event is over, so that its season can be deleted. */
export function isOver({ ends_at }: Season, now = new Date()): boolean {
  return new Date(ends_at) <= now
}
