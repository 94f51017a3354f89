/** Texts of the editor, each in its tab. This browser keeps them: a reload, or a visit to another page, loses nothing. */

export interface Tab {
  id: string
  text: string
}

export interface Tabs {
  tabs: Tab[]
  active: string
  /** The number of the next tab: none is used twice, so that a new tab has no results of a closed one. */
  next: number
}

export const firstText = 'select now();'
/** Tabs at most, and the characters of a title. */
const [mostTabs, longestTitle] = [30, 24]

const keyOf = (operator: string) => `cloch.sql.tabs.${operator}`

const isTab = (value: unknown): value is Tab =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'text' in value &&
  typeof value.text === 'string'

/** Tabs as they are stored; one with a statement if nothing right is stored. */
export function parseTabs(stored: string | null): Tabs {
  const fresh = { tabs: [{ id: '1', text: firstText }], active: '1', next: 2 }
  try {
    const value = JSON.parse(stored ?? 'null') as { tabs?: unknown; active?: unknown; next?: unknown } | null
    const tabs = Array.isArray(value?.tabs) ? value.tabs.filter(isTab).slice(0, mostTabs) : []
    if (tabs.length === 0 || new Set(tabs.map(({ id }) => id)).size < tabs.length) return fresh
    const active = tabs.find(({ id }) => id === value?.active) ?? tabs[0]
    const next = Math.max(Number(value?.next) || 0, ...tabs.map(({ id }) => Number(id) || 0).map((id) => id + 1))
    return { tabs, active: active?.id ?? '1', next }
  } catch {
    return fresh
  }
}

/** Each window has its own tabs; a new window begins with those of the last. */
export const readTabs = (operator: string): Tabs =>
  parseTabs(sessionStorage.getItem(keyOf(operator)) ?? localStorage.getItem(keyOf(operator)))

export function writeTabs(operator: string, tabs: Tabs) {
  const text = JSON.stringify(tabs)
  for (const store of [sessionStorage, localStorage])
    try {
      store.setItem(keyOf(operator), text)
    } catch {
      // Texts of some megabytes have no room there: they live as long as the page.
      store.removeItem(keyOf(operator))
    }
}

const withText = (tabs: readonly Tab[], active: string, text: string) =>
  tabs.map((tab) => (tab.id === active ? { ...tab, text } : tab))

export const setText = (all: Tabs, text: string): Tabs => ({ ...all, tabs: withText(all.tabs, all.active, text) })

/** Opens a tab behind the others. The number of tabs is limited. */
export function openTab(all: Tabs, text = ''): Tabs {
  if (all.tabs.length >= mostTabs) return all
  const id = String(all.next)
  return { tabs: [...all.tabs, { id, text }], active: id, next: all.next + 1 }
}

/** Shows a script that another page wrote, in a tab that has it already or in a new one. */
export function showScript(all: Tabs, text: string): Tabs {
  const known = all.tabs.find((tab) => tab.text === text)
  return known ? { ...all, active: known.id } : openTab(all, text)
}

/** Closes a tab; its neighbour becomes active. An empty one follows the last. */
export function closeTab(all: Tabs, id: string): Tabs {
  const at = all.tabs.findIndex((tab) => tab.id === id)
  if (at === -1) return all
  const left = all.tabs.filter((tab) => tab.id !== id)
  if (left.length === 0) return openTab({ ...all, tabs: [] })
  return { ...all, tabs: left, active: id === all.active ? (left[Math.min(at, left.length - 1)]?.id ?? id) : all.active }
}

/** The beginning of a text, without comments at its head. */
export function titleOf({ id, text }: Tab): string {
  const line = text
    .replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, '')
    .split('\n', 1)[0]
    ?.trim()
  if (!line) return `Query ${id}`
  return line.length > longestTitle ? `${line.slice(0, longestTitle).trimEnd()}…` : line
}
