import type { Entry } from './entry'

/** What every kind of card is given. */
export interface CardProps<E extends Entry> {
  entry: E
  /** Place within its group, from 1. */
  number: number
  onView: () => void
}
