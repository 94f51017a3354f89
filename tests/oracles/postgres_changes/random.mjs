/** Pseudo-random numbers from a seed (mulberry32), so that a run can be repeated. */
export function random(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const below = (limit) => Math.floor(next() * limit)
  const one = (list) => list[below(list.length)]
  return {
    below,
    one,
    chance: (probability) => next() < probability,
    some: (list, least = 1) => {
      const rest = [...list]
      return Array.from({ length: Math.min(list.length, least + below(list.length)) }, () => rest.splice(below(rest.length), 1)[0])
    },
  }
}
