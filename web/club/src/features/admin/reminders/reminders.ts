/** The groups that can be reminded before the last day for entries. See the database function reminder_targets. */
export const audiences = ['schools', 'files', 'consent'] as const
export type Audience = (typeof audiences)[number]

export const audienceLabels: Record<Audience, string> = {
  schools: 'Schools that have sent nothing',
  files: 'Entries without a picture',
  consent: 'Entries without an answer about publicity',
}

/** Hint that describes the recipients in a group. */
export const audienceHints: Record<Audience, string> = {
  schools:
    'The contacts of schools without an entry in this season, also on paper. If no contact has an address, the school’s own. Contacts who have declined, or whose work is ready for collection, get none.',
  files: 'The parents and guardians of photographers and artists whose entry has no file, also none that was sent later.',
  consent:
    'The parents and guardians of entries that do not say whether name and picture may be published. Nominations are not among them: ask the parents yourself.',
}

/** Placeholders that the template of a reminder may contain. */
export const placeholders = '{name}, {list}, {deadline}, {left}, {ceremony}, {time}, {location}'

export function isAudience(text: string): text is Audience {
  return audiences.some((audience) => audience === text)
}

/** An address that can be reminded. See the database function list_reminders. */
export interface Recipient {
  recipient: string
  address: string
  name: string
  /** The reasons (schools or entries), one per line. */
  detail: string
  can_be_mailed: boolean
  /** Time of the last reminder to the address, by any group. */
  reminded_at: string | null
}

const day = 24 * 3600 * 1000

/** Whether an address got a reminder in the last 24 hours. It then gets another one only if the administrator confirms that. */
export function isRecent({ reminded_at }: Recipient, now: number): boolean {
  return reminded_at !== null && now - Date.parse(reminded_at) < day
}

export interface ReminderOutcome {
  recipient: string
  outcome: string
}

/** Describes the result of sending in a sentence. Lists the recipients to whom no mail was sent. */
export function sentence(outcomes: readonly ReminderOutcome[], nameOf: (recipient: string) => string): string {
  const names = (wanted: string) =>
    outcomes.filter(({ outcome }) => outcome === wanted).map(({ recipient }) => nameOf(recipient))
  const queued = names('queued').length
  const parts = [`${queued} ${queued === 1 ? 'reminder is' : 'reminders are'} being sent.`]
  for (const [outcome, words] of [
    ['recent', 'Reminded in the last 24 hours already'],
    ['gone', 'Not reminded, because it has arrived in the meantime'],
    ['address', 'Not sent, because no mail can be sent to the address'],
  ] as const) {
    const list = names(outcome)
    if (list.length > 0) parts.push(`${words}: ${list.join(', ')}.`)
  }
  return parts.join(' ')
}

interface SeasonDays {
  opens_at: string | null
  closes_at: string | null
  ends_at: string
}

/** Returns the season for which reminders can be sent now: entries are open, and there is a last day for entries. The database uses the same
 * rule. */
export function remindedSeason<Season extends SeasonDays>(seasons: readonly Season[], now: number): Season | undefined {
  const season = seasons.findLast(({ ends_at }) => Date.parse(ends_at) > now)
  if (!season || season.closes_at === null || Date.parse(season.closes_at) <= now) return undefined
  return season.opens_at === null || Date.parse(season.opens_at) <= now ? season : undefined
}
