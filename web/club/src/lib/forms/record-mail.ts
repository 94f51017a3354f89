import { summaryHtml } from './html'
import type { Email } from './send-email'

/** Columns of a record that are not in its mail. */
const unlisted = ['submission_key', 'uploaded_files', 'kind']

/** Information that the mail needs in addition to the record. */
interface About {
  to: string[]
  title: string
  /** The person whom the record is about. The subject ends with this name. */
  whom: string
  /** Name of the sender; by default the same person. */
  name?: string
  /** Labels for columns whose names are not good labels. */
  labels?: Record<string, string>
}

/**
 * The call of send-email after the insert of a record. The server sends the mail that the database has queued with the record (`submission`
 * identifies it): exactly one mail is sent, even if this is called several times or never. A server without such a queue finds all data for the mail
 * in the call.
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

/** "nominee_name" becomes "Nominee name". */
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
