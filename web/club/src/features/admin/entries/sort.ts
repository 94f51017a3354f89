import type { Entry } from './entry'

export const orders = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'By name',
} as const
export type Order = keyof typeof orders

const byName = new Intl.Collator('en-GB', { numeric: true })

/** The order that an address names. */
export function parseOrder(text: string): Order {
  return Object.hasOwn(orders, text) ? (text as Order) : 'newest'
}

/** Entries come newest first from the server. */
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
