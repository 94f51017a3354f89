/** Embeddings without a model. Each word of a text increases one dimension, so texts with words in common are similar. */
import { createHash } from 'node:crypto'

/** Returns the words of at least four letters or digits, without the `s` of a plural. */
export const wordsOf = (text) => (text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []).map((word) => word.replace(/s$/, ''))

/** Returns the embedding of a text, with length 1. */
export function vectorOf(text, dimensions) {
  const vector = new Array(dimensions).fill(0)
  for (const word of wordsOf(text)) {
    const hash = createHash('sha256').update(word).digest()
    vector[hash.readUInt32BE() % dimensions] += hash[4] % 2 === 0 ? 1 : -1
  }
  const length = Math.hypot(...vector)
  // A zero vector has no direction, so its similarity would not be defined.
  if (length === 0) vector[0] = 1
  return length === 0 ? vector : vector.map((value) => value / length)
}

/** Returns the similarity of two vectors of length 1. */
export const similarity = (one, other) => one.reduce((sum, value, index) => sum + value * other[index], 0)
