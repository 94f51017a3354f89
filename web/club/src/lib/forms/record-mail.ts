import { summaryHtml } from './html'
import type { Email } from './send-email'

/** Columns of a record that its mail does not list. */
const unlisted = ['submission_key', 'uploaded_files', 'kind']

/** What the mail of a record needs besides the record. */
interface About {
  to: string[]
  title: string
  /** Whom the record is about; the subject ends with the name. */
  whom: string
  /** Who wrote; the same person by default. */
  name?: string
  /** Names of columns that do not name themselves. */
  labels?: Record<string, string>
}

/**
 * The call of send-email that follows the insert of a record. The server sends the mail that the database has queued with the record
 * (`submission` names it): one mail leaves, however often this is called, and also if it is never called. A server that queues no mails
 * finds everything for the mail in the call.
 */
export function recordMail(record: object, about: About): Email {
  const columns = new Map<string, unknown>(Object.entries(record))
  const rows = [...columns]
    .filter(([column]) => !unlisted.includes(column))
    .map(([column, value]): [string, string] => [about.labels?.[column] ?? labelOf(column), textOf(column, value)])
  const paths = columns.get('uploaded_files')
  return {
    to: about.to,
    subject: `${about.title} - ${about.whom}`,
    message: summaryHtml(about.title, [{ heading: 'What was sent', rows }]),
    name: about.name ?? about.whom,
    attachments: Array.isArray(paths) ? paths.map(String) : [],
    submission: String(columns.get('submission_key')),
  }
}

/** "nominee_name" is "Nominee name". */
function labelOf(column: string): string {
  const words = column.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function textOf(column: string, value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map(String).join('; ')
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  return column === 'publicity_consent' ? 'Not specified' : ''
}
