/** Expected results of vector searches. The oracle compares every vector, and evaluates filters by their documented rules. */

/** Returns a generator of pseudo-random numbers from a seed. */
export function generator(seed) {
  let state = seed >>> 0
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit) => Math.floor(number() * limit)
  const one = (list) => list[below(list.length)]
  const embedding = (dimension) => Array.from({ length: dimension }, () => Math.fround(number() * 2 - 1))
  return { number, below, one, embedding }
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
const product = (a, b) => sum(a.map((number, index) => number * b[index]))

export const distances = {
  euclidean: (a, b) => Math.sqrt(sum(a.map((number, index) => (number - b[index]) ** 2))),
  cosine: (a, b) => 1 - product(a, b) / Math.sqrt(product(a, a) * product(b, b)),
}

/** Returns all vectors that match the filter, the nearest first. */
export function nearest(vectors, metric, query, filter) {
  const admitted = vectors.filter(({ metadata }) => filter === undefined || matches(filter, metadata ?? {}))
  const measured = admitted.map((vector) => ({ ...vector, distance: distances[metric](vector.data.float32, query) }))
  return measured.sort((a, b) => a.distance - b.distance)
}

/** A list matches a value if one of its items is equal to it. Values of different types are never equal. */
const has = (found, value) => (Array.isArray(found) ? found.includes(value) : found === value)

/** The operators of a field. Only one of them can match a missing value: the check that the field does not exist. */
const operators = {
  $eq: (found, value) => has(found, value),
  $ne: (found, value) => found !== undefined && !has(found, value),
  $in: (found, values) => values.some((value) => has(found, value)),
  $nin: (found, values) => found !== undefined && !values.some((value) => has(found, value)),
  $gt: (found, value) => typeof found === 'number' && found > value,
  $gte: (found, value) => typeof found === 'number' && found >= value,
  $lt: (found, value) => typeof found === 'number' && found < value,
  $lte: (found, value) => typeof found === 'number' && found <= value,
  $exists: (found, wanted) => (found !== undefined) === wanted,
}

export function matches(filter, metadata) {
  if (filter.$and) return filter.$and.every((part) => matches(part, metadata))
  if (filter.$or) return filter.$or.some((part) => matches(part, metadata))
  return Object.entries(filter).every(([key, condition]) =>
    typeof condition === 'object'
      ? Object.entries(condition).every(([operator, value]) => operators[operator](metadata[key], value))
      : has(metadata[key], condition),
  )
}

const keys = ['year', 'genre', 'is new', 'tags', "o'clock", 'Größe']
const values = [0, 1, -3, 2.5, 2020, 2021, 1e21, '1', '2020', 'drama', 'comedy', "it's", '', '%', true, false, 'true']

/** Returns random metadata: some of the keys, with values of any type. */
export function randomMetadata({ below, one }) {
  const value = () => (below(4) === 0 ? Array.from({ length: below(4) }, () => one(values)) : one(values))
  return Object.fromEntries(keys.filter(() => below(3) > 0).map((key) => [key, value()]))
}

/** Returns a random filter with at most `depth` nested combinations. */
export function randomFilter(random, depth = 3) {
  const { below, one } = random
  if (depth > 0 && below(2) === 0) {
    return { [one(['$and', '$or'])]: Array.from({ length: 1 + below(3) }, () => randomFilter(random, depth - 1)) }
  }
  return Object.fromEntries(Array.from({ length: 1 + below(2) }, () => [one([...keys, 'nowhere']), randomCondition(random)]))
}

function randomCondition({ below, one }) {
  if (below(5) === 0) return one(values)
  const numbers = values.filter((value) => typeof value === 'number')
  const operator = () => {
    const name = one(Object.keys(operators))
    if (name === '$exists') return [name, below(2) === 0]
    if (name === '$in' || name === '$nin') return [name, Array.from({ length: 1 + below(4) }, () => one(values))]
    return [name, name === '$eq' || name === '$ne' ? one(values) : one(numbers)]
  }
  return Object.fromEntries(Array.from({ length: 1 + below(2) }, operator))
}
