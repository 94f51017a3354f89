import Papa from 'papaparse'
import { guestSchema, type GuestInput } from '../rules'

export interface GuestLine {
  /** Line number in the file. The header is line 1. */
  line: number
  /** This field and the following ones contain the unchanged text of the file, for the preview. */
  name: string
  result: { guest: GuestInput } | { errors: string[] }
}

/** The columns in their order in the file. The first line is always skipped, because it is the header. */
const columns = ['name', 'email', 'phone', 'organization', 'status', 'notes'] as const

/** Parses a CSV file of guests. Fields may be quoted; the separators can be commas, semicolons or tabs; blank lines are ignored. */
export function parseGuests(text: string): GuestLine[] {
  const lines: GuestLine[] = []
  let line = 1
  let cursor = 0
  let header = true
  Papa.parse<string[]>(text, {
    delimitersToGuess: [',', ';', '\t'],
    step: ({ data, errors, meta }) => {
      const from = line
      // A quoted field may contain line breaks, so one record can have several lines.
      line += text.slice(cursor, meta.cursor).match(/\r\n|\r|\n/g)?.length ?? 0
      cursor = meta.cursor
      if (header) {
        header = false
        return
      }
      if (data.every((field) => field.trim() === '')) return
      lines.push(
        toLine(
          from,
          data,
          errors.map(({ message }) => message),
        ),
      )
    },
  })
  return lines
}

function toLine(line: number, fields: string[], broken: string[]): GuestLine {
  const values = Object.fromEntries(columns.map((column, index) => [column, fields[index]?.trim() ?? '']))
  const status = values.status?.toLowerCase()
  const parsed = guestSchema.safeParse({ ...values, status: status === '' ? 'invited' : status })
  const wrong = parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  const extra = fields.slice(columns.length).some((field) => field.trim() !== '') ? ['More columns than expected'] : []
  const errors = [...broken, ...wrong, ...extra]
  const result = parsed.success && errors.length === 0 ? { guest: parsed.data } : { errors }
  return { line, name: values.name ?? '', result }
}
