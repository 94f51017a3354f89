import type { Award } from '../shared/award'

/** The data of an entry that is needed for its mails. */
export interface MailedEntry {
  id: string
  award: Award
  name: string
  school: { name: string } | undefined
  row: object
}

/** The states of an entry, in order. Each state has a mail. The mail of `received` is the receipt, which the server sends automatically. */
export const entryStates = ['received', 'shortlisted', 'invited', 'winner', 'thanked'] as const
export type EntryState = (typeof entryStates)[number]
export type MailState = Exclude<EntryState, 'received'>

export const mailStates = entryStates.filter((state): state is MailState => state !== 'received')

export const stateLabels: Record<EntryState, string> = {
  received: 'Received',
  shortlisted: 'Shortlisted',
  invited: 'Invited',
  winner: 'Winner',
  thanked: 'Thanked',
}

/** Placeholders that a template may contain. */
export const placeholders = '{name}, {award}, {category}, {result}, {ceremony}, {time}, {location}, {reference}'

interface SentMail {
  entry: string
  state: string
}

/** For each entry that got a mail, the state of its last mail. */
export function statesOf(mails: readonly SentMail[]): ReadonlyMap<string, EntryState> {
  const states = new Map<string, EntryState>()
  for (const { entry, state } of mails) {
    const rank = (name: string | undefined) => entryStates.findIndex((known) => known === name)
    const next = entryStates[rank(state)]
    if (next && rank(next) > rank(states.get(entry))) states.set(entry, next)
  }
  return states
}

/** The result of sending a mail for one entry. See the database function send_state_mails. */
export interface Outcome {
  entry: string
  outcome: string
}

/** Describes the result of sending in a sentence. Lists the names of the entries for which no mail was sent. */
export function sentence(outcomes: readonly Outcome[], nameOf: (entry: string) => string): string {
  const names = (wanted: string) => outcomes.filter(({ outcome }) => outcome === wanted).map(({ entry }) => nameOf(entry))
  const queued = names('queued').length
  const parts = [`${queued} ${queued === 1 ? 'mail is' : 'mails are'} being sent.`]
  for (const [outcome, words] of [
    ['sent', 'Had it already'],
    ['withdrawn', 'Withdrawn, so not sent'],
    ['missing', 'Deleted, so not sent'],
    ['address', 'Not sent, because no mail can be sent to the address'],
  ] as const) {
    const list = names(outcome)
    if (list.length > 0) parts.push(`${words}: ${list.join(', ')}.`)
  }
  return parts.join(' ')
}

/**
 * If more entries than this have the same address, a warning is shown before mails are sent. Anybody can type the address of another person into a
 * form.
 */
const fewEntries = 3

/** The addresses that would get mails for more than `fewEntries` entries, each with the number of these entries. */
export function sharedAddresses(entries: readonly Pick<MailedEntry, 'row'>[]): [address: string, entries: number][] {
  const counts = new Map<string, number>()
  for (const { row } of entries) {
    const address = addressOf(row)
    if (address !== '') counts.set(address, (counts.get(address) ?? 0) + 1)
  }
  return [...counts].filter(([, count]) => count > fewEntries)
}

/** The recipient of an entry's mails: the nominator, or the parent or guardian. */
function addressOf(row: object): string {
  const address =
    'nominator_email' in row ? row.nominator_email : 'parent_guardian_email' in row ? row.parent_guardian_email : ''
  return typeof address === 'string' ? mailbox(address) : ''
}

/** Normalises an e-mail address as the database does (club.mailbox): lower case, without dots and without the part after a plus sign. */
function mailbox(address: string): string {
  const [local = '', domain = ''] = address.trim().toLowerCase().split('@')
  return `${(local.split('+')[0] ?? '').replaceAll('.', '')}@${domain}`
}
