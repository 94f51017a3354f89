const format = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })

/** "Nov 13, 2025", or "-" without a date. A date has no time zone. */
export function dueDate(date: string | null): string {
  return date === null ? '-' : format.format(new Date(`${date}T00:00:00Z`))
}
