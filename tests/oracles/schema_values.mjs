// Column types and their values. Each value is generated from a small number, so that filters match rows.

/** Returns a source of pseudo-random numbers from a seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const below = (count) => Math.floor(next() * count)
  const pick = (list) => list[below(list.length)]
  return { below, pick, chance: (share) => next() < share }
}

const two = (number) => String(number).padStart(2, '0')

/** For each type: its name in SQL, and a function that returns the text of its value for a number from 0 to 9. */
const TYPES = {
  integer: (n) => `${n * 7}`,
  bigint: (n) => `${9000000000 + n}`,
  smallint: (n) => `${n}`,
  'numeric(10,2)': (n) => `${n}.25`,
  numeric: (n) => `${n}.125`,
  real: (n) => `${n}.1`,
  'double precision': (n) => `${n}.1`,
  text: (n) => `T-${n}`,
  'character varying(20)': (n) => `v ${n}`,
  'character(4)': (n) => `c${n}`,
  boolean: (n) => `${n % 2 === 0}`,
  uuid: (n) => `DEA27321-F988-4A57-93E4-8EEB38F3CF1${n}`,
  date: (n) => `2024-01-0${1 + (n % 9)}`,
  'timestamp without time zone': (n) => `2024-01-0${1 + (n % 9)}T${two(2 * n)}:30:00`,
  'timestamp with time zone': (n) => `2024-01-0${1 + (n % 9)}T${two(2 * n)}:30:00Z`,
  'time without time zone': (n) => `${two(n)}:15:00`,
  jsonb: (n) => `{"n":${n}}`,
  'integer[]': (n) => `{${n},${n + 1}}`,
  'text[]': (n) => `{t${n}}`,
  inet: (n) => `10.0.0.${n}`,
}

export const typeNames = Object.keys(TYPES)
/** Types that are used for keys. */
export const keyTypes = ['integer', 'bigint', 'text', 'uuid', 'numeric(10,2)', 'date', 'timestamp without time zone']

/** Returns the text of a value. For an enum or a domain, the text depends on the catalog. */
export function value(type, number, catalog) {
  const known = TYPES[type]
  if (known) return known(number)
  const labels = catalog.enums[type]
  if (labels) return labels[number % labels.length]
  const base = catalog.domains[type]
  return base ? value(base, number, catalog) : `x${number}`
}

/** Returns the same value as JSON for a request body. */
export function json(type, number, catalog) {
  const text = value(type, number, catalog)
  const plain = catalog.domains[type] ?? type
  if (/^(integer|bigint|smallint|numeric|real|double)/.test(plain) && !plain.endsWith('[]')) return Number(text)
  if (plain === 'boolean') return text === 'true'
  if (plain === 'jsonb') return JSON.parse(text)
  if (plain.endsWith('[]')) return text.slice(1, -1).split(',').map((item) => (plain === 'integer[]' ? Number(item) : item))
  return text
}

export const literal = (text) => `'${text.replaceAll("'", "''")}'`
export const ident = (name) => `"${name}"`
