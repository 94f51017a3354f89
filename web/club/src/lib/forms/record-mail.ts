import { summaryHtml } from './html'
import type { Email } from './send-email'

/** Columns of a record that its mail does not contain. */
const unlisted = ['submission_key', 'uploaded_files', 'kind']

/** Information that is needed for the mail in addition to the record. */
interface About {
  to: string[]
  title: string
  /** The name of the person whom the record is about. It is at the end of the subject. */
  whom: string
  /** Name of the sender. By default, the name in `whom`. */
  name?: string
  /** Labels for columns whose names cannot be used as labels. */
  labels?: Record<string, string>
}

/**
 * The parameters for the function send-email, which is called after a record was inserted. The database has already queued the mail together with the
 * record, and `submission` identifies this mail. The server sends it exactly once, even if the function is called several times or never. A server
 * without this queue takes all data of the mail from the parameters.
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

/** Converts "nominee_name" to "Nominee name". */
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
