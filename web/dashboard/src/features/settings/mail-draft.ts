/** Types of the API that renders unsaved mail templates, and pure functions for their editor. */

/** A mail in its current version. */
export interface MailTemplate {
  /** The rendered subject. */
  subject: string
  subject_source: string
  source: string
  is_own: boolean
  /** The variables that templates can use, each with a sample value. */
  samples: Record<string, unknown>
}

/** An error in an unsaved template. Line and column begin at 1; zero if they are unknown. */
export interface Problem {
  part: 'subject' | 'content'
  line: number
  column: number
  message: string
  /** Whether the template is valid, but fails for the user with this metadata. */
  is_for_user: boolean
}

export interface Rendered {
  subject: string
  problems: Problem[]
}

export interface Sent {
  to: string
  reply: string
  is_in_inbox: boolean
}

/** Metadata of a user that the template compares with texts, such as a language. */
export interface Variant {
  /** Names below `.Data`, such as `lang` or `profile.lang`. */
  path: string
  values: string[]
}

const comparison = /\b(?:eq|ne)\s+\.Data((?:\.\w+)+)((?:\s+"[^"\n]*")+)/g

/** Finds the metadata by which a template selects its text, such as `{{ if eq .Data.lang "de" }}`. */
export function variantsOf(template: string): Variant[] {
  const found = new Map<string, Set<string>>()
  for (const [, names = '', texts = ''] of template.matchAll(comparison)) {
    const path = names.slice(1)
    const values = found.get(path) ?? new Set()
    for (const [, text = ''] of texts.matchAll(/"([^"\n]*)"/g)) values.add(text)
    found.set(path, values)
  }
  return [...found].map(([path, values]) => ({ path, values: [...values].sort() }))
}

/** Returns the metadata of a user with the selected values. Empty values are left out. */
export function metadataOf(chosen: ReadonlyMap<string, string>): Record<string, unknown> {
  const data: Record<string, unknown> = {}
  for (const [path, value] of chosen) {
    if (value === '') continue
    const names = path.split('.')
    let at = data
    for (const name of names.slice(0, -1)) {
      const inner = typeof at[name] === 'object' && at[name] !== null ? (at[name] as Record<string, unknown>) : {}
      at[name] = inner
      at = inner
    }
    at[names.at(-1) ?? path] = value
  }
  return data
}

/** Returns the offset of a line and column in a text, in UTF-16 code units. */
export function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n')
  const before = lines.slice(0, Math.max(0, line - 1)).reduce((sum, one) => sum + one.length + 1, 0)
  // Columns count characters. A character outside of the first Unicode plane consists of two UTF-16 code units.
  const characters = Array.from(lines[line - 1] ?? '').slice(0, Math.max(0, column - 1))
  return Math.min(text.length, before + characters.join('').length)
}

/** Returns a text such as “Text, line 2, column 14: unexpected "<"”. */
export function problemText({ part, line, column, message, is_for_user }: Problem): string {
  const place = [part === 'subject' ? 'Subject' : 'Text', line > 0 && `line ${line}`, column > 0 && `column ${column}`]
  const end = is_for_user ? '. Users with this metadata get Cloch’s own mail.' : ''
  return `${place.filter(Boolean).join(', ')}: ${message}${end}`
}
