import type { Change, Ignore, Setting, Value } from './contract'

/** Unsaved changes. For each key, the text of the field, the state of the checkbox, or null for the default. */
export type Draft = ReadonlyMap<string, string | boolean | null>

/** The text in the field of a setting. */
export function shownText(setting: Setting, draft: Draft): string {
  const typed = draft.get(setting.key)
  if (typeof typed === 'string') return typed
  return textOf(typed === null ? setting.default : setting.value)
}

export function isTicked(setting: Setting, draft: Draft): boolean {
  const typed = draft.get(setting.key)
  return typeof typed === 'boolean' ? typed : (typed === null ? setting.default : setting.value) === true
}

/** Converts a value to the text of its field. A list has one entry per line. Ignored findings are JSON, which `ignoredOf` reads. */
export function textOf(value: Value): string {
  if (value === null) return ''
  if (isIgnored(value)) return JSON.stringify(value)
  return Array.isArray(value) ? value.join('\n') : String(value)
}

const isIgnored = (value: Value): value is Ignore[] => Array.isArray(value) && typeof value[0] === 'object'

/** Parses the ignored findings in a field. While the user types, the lists of objects may contain empty entries. */
export const ignoredOf = (text: string) => (text === '' ? [] : (JSON.parse(text) as Ignore[]))

const objectsOf = (on: readonly string[]) => on.map((object) => object.trim()).filter((object) => object !== '')

/** Converts a value to words for a sentence. */
export function inWords(value: Value): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (value === null || value === '') return 'none'
  if (isIgnored(value)) return value.map(({ lint }) => lint).join(', ')
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}

/** Adds a new value to the draft. If the value is the same as that in the file, removes the setting from the draft. */
export function typed(draft: Draft, setting: Setting, value: string | boolean | null): Draft {
  const next = new Map(draft)
  const isSame =
    value === null
      ? !setting.is_set
      : setting.kind.type === 'secret'
        ? value === ''
        : typeof value === 'boolean'
          ? value === setting.value
          : value === textOf(setting.value)
  if (isSame) next.delete(setting.key)
  else next.set(setting.key, value)
  return next
}

/** The changes that are sent to the server. For a number, size, duration or multi-line text, an empty field means the default. */
export function changes(draft: Draft, settings: readonly Setting[]): Change[] {
  return settings.flatMap((setting) => {
    const value = draft.get(setting.key)
    return value === undefined ? [] : [{ key: setting.key, value: valueOf(setting, value) }]
  })
}

function valueOf({ kind }: Setting, value: string | boolean | null): Value {
  if (typeof value !== 'string') return value
  const text = value.trim()
  switch (kind.type) {
    case 'list':
      return value
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
    case 'count':
      return text === '' ? null : Number(text)
    case 'size':
    case 'duration':
    case 'url':
      return text === '' ? null : text
    case 'ignored': {
      const entries = ignoredOf(text).map((entry) => ({ ...entry, on: objectsOf(entry.on), reason: entry.reason.trim() }))
      return entries.length === 0 ? null : entries
    }
    // A mail cannot have an empty text. Therefore an empty field means the default.
    case 'lines':
    case 'template':
      return text === '' ? null : value
    default:
      return value
  }
}

/** The reason why a typed value cannot be sent. `undefined` if there is none; then the server checks the value. */
export function fault(setting: Setting, draft: Draft): string | undefined {
  const value = draft.get(setting.key)
  if (typeof value === 'string' && setting.kind.type === 'ignored') return faultOfIgnored(setting, ignoredOf(value))
  if (typeof value !== 'string' || setting.kind.type !== 'count' || value.trim() === '') return undefined
  const { min, max } = setting.kind
  const number = Number(value)
  return Number.isInteger(number) && number >= min && number <= max ? undefined : `Write a whole number from ${min} to ${max}.`
}

/** Without its last object, an entry would ignore the whole rule. A user who deletes an object does not want this. */
function faultOfIgnored({ value }: Setting, entries: readonly Ignore[]): string | undefined {
  if (entries.some(({ reason }) => reason.trim() === '')) return 'Each entry needs a reason.'
  const whole = ignoredOf(textOf(value)).filter(({ on }) => on.length === 0)
  const isWidened = ({ lint, on }: Ignore) => objectsOf(on).length === 0 && !whole.some((one) => one.lint === lint)
  return entries.some(isWidened) ? 'Name an object, or remove the entry.' : undefined
}
