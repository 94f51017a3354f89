import { placeNames, places, type Place } from './awards'
import type { JudgedEntry } from './entry'

const ordinals: Record<Place, string> = { 1: '1st', 2: '2nd', 3: '3rd' }

/** Text such as "places given: 1st, 3rd" or "no places given yet". */
export function placesGiven(entries: readonly JudgedEntry[]): string {
  const given = places.filter((place) => entries.some((entry) => entry.place === place))
  return given.length === 0 ? 'no places given yet' : `places given: ${given.map((place) => ordinals[place]).join(', ')}`
}

/** The places that more than one entry of a category has. */
export function sharedPlaces(entries: readonly JudgedEntry[]): ReadonlySet<Place> {
  return new Set(places.filter((place) => entries.filter((entry) => entry.place === place).length > 1))
}

/** Texts such as "2 entries hold 1st Place." */
export function sharedNotice(entries: readonly JudgedEntry[]): string[] {
  return [...sharedPlaces(entries)].map((place) => {
    const count = entries.filter((entry) => entry.place === place).length
    return `${count} entries hold ${placeNames[place]}.`
  })
}
