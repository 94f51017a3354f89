// Pseudo-random choices, repeatable with CLOCH_ORACLE_SEED.

import { randomFrom } from '../../oracles/random.mjs'

export const random = randomFrom()
/** True in `percent` of 100 choices. */
export const chance = (percent) => random.below(100) < percent
/** Returns some elements of a list, in the order of the list. */
export const some = (list, percent) => list.filter(() => chance(percent))
/** Returns `count` elements of a list, in any order, without duplicates. */
export function pick(list, count) {
  const left = [...list]
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(random.below(left.length), 1)[0])
}

/** Headers that select the schema of the generated requests, for reads and for bodies. */
export const read = { 'accept-profile': 'basin' }
export const sent = { 'content-profile': 'basin', 'content-type': 'application/json' }
