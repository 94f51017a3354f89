import type { Entry } from './entry'

/** Props of the cards of all awards. */
export interface CardProps<E extends Entry> {
  entry: E
  /** Position within its group, from 1. */
  number: number
  onView: () => void
}
