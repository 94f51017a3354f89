/** The columns that contain the displayed texts of an event's date. */
export const dateColumns = ['date_text', 'board_large', 'board_small'] as const

const partsOf = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinals = new Intl.PluralRules('en-GB', { type: 'ordinal' })

/** The displayed texts for a date such as "2026-05-14". Undefined if the argument is not a date. */
export function wordsOf(day: string): Record<(typeof dateColumns)[number], string> | undefined {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return undefined
  const parts = Object.fromEntries(partsOf.formatToParts(date).map(({ type, value }) => [type, value]))
  const { day: number = '', month = '', year = '' } = parts
  const ordinal = number + (endings[ordinals.select(Number(number))] ?? 'th')
  return { date_text: `${ordinal} ${month} ${year}`, board_large: number, board_small: `${month} ${year}` }
}

/** Whether the displayed texts of an event are empty, or the same as those generated from its last day. Then one date describes the event. */
export function isOneDay(values: Readonly<Record<string, unknown>>): boolean {
  const written = dateColumns.map((name) => values[name])
  if (written.every((text) => text === '' || text === undefined)) return true
  const words = typeof values.last_day === 'string' ? wordsOf(values.last_day) : undefined
  return words !== undefined && dateColumns.every((name) => values[name] === words[name])
}
