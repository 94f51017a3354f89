const format = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' })

/** Formats a date such as "Nov 13, 2025", or "-" if there is no date. The date has no time, so it is not converted to a time zone. */
export function dueDate(date: string | null): string {
  return date === null ? '-' : format.format(new Date(`${date}T00:00:00Z`))
}
