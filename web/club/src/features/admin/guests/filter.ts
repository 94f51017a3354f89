import { comparable } from '../shared/comparable'
import type { Guest } from './queries/list-guests'

const texts = new WeakMap<Guest, string>()

/** The text of a guest in which the search looks, in lower case and without accents. */
function textOf(guest: Guest): string {
  const known = texts.get(guest)
  if (known !== undefined) return known
  const text = comparable([guest.name, guest.email, guest.phone, guest.organization, guest.notes].join('\n'))
  texts.set(guest, text)
  return text
}

/** The guests with the given status ('' for all statuses) whose name, address, organisation or notes contain every word of the query. */
export function filterGuests(guests: readonly Guest[], query: string, status: string): readonly Guest[] {
  const words = comparable(query).split(/\s+/).filter(Boolean)
  return guests.filter((guest) => {
    if (status !== '' && guest.status !== status) return false
    return words.every((word) => textOf(guest).includes(word))
  })
}
