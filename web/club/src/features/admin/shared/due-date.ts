const format = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })

/** Formats a date such as "Nov 13, 2025"; "-" if there is none. A date has no time zone. */
export function dueDate(date: string | null): string {
  return date === null ? '-' : format.format(new Date(`${date}T00:00:00Z`))
}
