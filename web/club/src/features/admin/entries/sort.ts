import type { Entry } from './entry'

export const orders = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'By name',
} as const
export type Order = keyof typeof orders

const byName = new Intl.Collator('en-GB', { numeric: true })

/** Parses the sort order in the URL. */
export function parseOrder(text: string): Order {
  return Object.hasOwn(orders, text) ? (text as Order) : 'newest'
}

/** Sorts entries. The server returns them newest first. */
export function sortEntries<E extends Entry>(entries: readonly E[], order: Order): readonly E[] {
  switch (order) {
    case 'newest':
      return entries
    case 'oldest':
      return [...entries].reverse()
    case 'name':
      return [...entries].sort((a, b) => byName.compare(a.name, b.name))
  }
}
