import type { Entry } from './entry'

/** Props that the cards of all awards have. */
export interface CardProps<E extends Entry> {
  entry: E
  /** Position of the entry within its group, counted from 1. */
  number: number
  onView: () => void
}
