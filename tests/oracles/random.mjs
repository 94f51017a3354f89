/** Returns a source of pseudo-random choices (mulberry32). CLOCH_ORACLE_SEED repeats the choices. */
export function randomFrom(seed = Number(process.env.CLOCH_ORACLE_SEED ?? 1)) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { seed, next, below: (end) => Math.floor(next() * end), of: (list) => list[Math.floor(next() * list.length)] }
}
