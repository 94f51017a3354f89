import { comparable } from '../shared/comparable'
import type { Guest } from './queries/list-guests'

/** The guests of a status ('' is all) in whose name, address, organization or notes every word occurs. */
export function filterGuests(guests: readonly Guest[], query: string, status: string): readonly Guest[] {
  const words = comparable(query).split(/\s+/).filter(Boolean)
  return guests.filter((guest) => {
    if (status !== '' && guest.status !== status) return false
    const text = comparable([guest.name, guest.email, guest.phone, guest.organization, guest.notes].join('\n'))
    return words.every((word) => text.includes(word))
  })
}
