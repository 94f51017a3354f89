import type { Change, Saved, Setting } from './contract'

/** Keys of the changed settings that take effect only after a restart. */
export function waiting(changes: readonly Change[], settings: readonly Setting[]): string[] {
  const live = new Set(settings.filter(({ is_live }) => is_live).map(({ key }) => key))
  return changes.flatMap(({ key }) => (live.has(key) ? [] : [key]))
}

/** The message that is shown after a change was saved. */
export function savedText({ changes, problem }: Saved): string {
  if (problem !== null) return 'Saved. In effect after a restart.'
  const keys = changes.filter(({ effect }) => effect !== 'applied').map(({ key }) => key)
  if (keys.length === 0) return 'Saved and in effect.'
  const rest = keys.length < changes.length ? ' The other changes are in effect.' : ''
  return `Saved. In effect after a restart: ${keys.join(', ')}.${rest}`
}
