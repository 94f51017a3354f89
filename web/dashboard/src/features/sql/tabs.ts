/**
 * The tabs of the editor and their texts. They are stored in the browser, so that nothing is lost by a reload or when the user opens another page.
 */

export interface Tab {
  id: string
  text: string
}

export interface Tabs {
  tabs: Tab[]
  active: string
  /** Number of the next tab. A number is used only once. Otherwise a new tab could show the results of a closed one. */
  next: number
}

export const firstText = 'select now();'
/** Maximum number of tabs, and maximum length of a title. */
const [mostTabs, longestTitle] = [30, 24]

const keyOf = (operator: string) => `cloch.sql.tabs.${operator}`

const isTab = (value: unknown): value is Tab =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  typeof value.id === 'string' &&
  'text' in value &&
  typeof value.text === 'string'

/** Parses the stored tabs. If there are none, or if they are invalid, returns one tab with an example. */
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

/** Reads the tabs of this window. A new window begins with a copy of the tabs of the window that was used last. */
export const readTabs = (operator: string): Tabs =>
  parseTabs(sessionStorage.getItem(keyOf(operator)) ?? localStorage.getItem(keyOf(operator)))

export function writeTabs(operator: string, tabs: Tabs) {
  const text = JSON.stringify(tabs)
  for (const store of [sessionStorage, localStorage])
    try {
      store.setItem(keyOf(operator), text)
    } catch {
      // Texts of several megabytes do not fit into the browser's storage. They are lost when the page is closed.
      store.removeItem(keyOf(operator))
    }
}

const withText = (tabs: readonly Tab[], active: string, text: string) =>
  tabs.map((tab) => (tab.id === active ? { ...tab, text } : tab))

export const setText = (all: Tabs, text: string): Tabs => ({ ...all, tabs: withText(all.tabs, all.active, text) })

/** Opens a tab after the existing ones, unless there is already the maximum number of tabs. */
export function openTab(all: Tabs, text = ''): Tabs {
  if (all.tabs.length >= mostTabs) return all
  const id = String(all.next)
  return { tabs: [...all.tabs, { id, text }], active: id, next: all.next + 1 }
}

/** Shows a script that another page has passed. If a tab has the same text, activates this tab; otherwise opens a new one. */
export function showScript(all: Tabs, text: string): Tabs {
  const known = all.tabs.find((tab) => tab.text === text)
  return known ? { ...all, active: known.id } : openTab(all, text)
}

/** Closes a tab and activates the tab beside it. If the last tab is closed, an empty one is opened. */
export function closeTab(all: Tabs, id: string): Tabs {
  const at = all.tabs.findIndex((tab) => tab.id === id)
  if (at === -1) return all
  const left = all.tabs.filter((tab) => tab.id !== id)
  if (left.length === 0) return openTab({ ...all, tabs: [] })
  return { ...all, tabs: left, active: id === all.active ? (left[Math.min(at, left.length - 1)]?.id ?? id) : all.active }
}

/** The title of a tab: the first line of its text after the comments at the beginning. */
export function titleOf({ id, text }: Tab): string {
  const line = text
    .replace(/^(\s|--[^\n]*(\n|$)|\/\*[\s\S]*?\*\/)+/, '')
    .split('\n', 1)[0]
    ?.trim()
  if (!line) return `Query ${id}`
  return line.length > longestTitle ? `${line.slice(0, longestTitle).trimEnd()}…` : line
}
