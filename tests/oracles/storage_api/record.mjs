/**
 * Reads and writes the record, whose form is compact because it contains thousands of responses:
 * - `shapes`: the lists of keys of all objects. An object is a list of the index of its shape and its values; a list begins with -1.
 * - `values`: the objects and lists that are longer than an index. `@5` is the value with index 5.
 * - `scenarios`: of each step, the digest of its label, and the index of its result.
 */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

/** A shorter value is not worth an index. */
const SHORTEST = 24

const digest = (label) => createHash('sha256').update(label).digest('base64url').slice(0, 5)

/** Returns the index of a text in a list, to which it is added if it is new. */
function indexIn({ list, indexes }, text) {
  if (!indexes.has(text)) {
    indexes.set(text, list.length)
    list.push(text)
  }
  return indexes.get(text)
}

const makeIndex = () => ({ list: [], indexes: new Map() })

function packed(tables, value, isResult = false) {
  if (typeof value === 'string') return value.startsWith('@') ? `@${value}` : value
  if (value === null || typeof value !== 'object') return value
  const shape = Array.isArray(value) ? -1 : indexIn(tables.shapes, JSON.stringify(Object.keys(value)))
  const text = JSON.stringify([shape, ...Object.values(value).map((item) => packed(tables, item))])
  if (isResult) return indexIn(tables.values, text)
  return text.length < SHORTEST ? JSON.parse(text) : `@${indexIn(tables.values, text)}`
}

function unpacked(record, value) {
  if (typeof value === 'string') {
    if (value.startsWith('@@')) return value.slice(1)
    return value.startsWith('@') ? unpacked(record, record.values[Number(value.slice(1))]) : value
  }
  if (!Array.isArray(value)) return value
  const [shape, ...items] = value
  const whole = items.map((item) => unpacked(record, item))
  return shape === -1 ? whole : Object.fromEntries(record.shapes[shape].map((key, at) => [key, whole[at]]))
}

/** Writes one value and one step per line, so that a new recording shows what has changed. */
export function writeRecord(file, version, results) {
  const tables = { shapes: makeIndex(), values: makeIndex() }
  const scenarios = Object.entries(results).map(([name, steps]) => {
    const lines = Object.entries(steps).map(([label, result]) => `"${digest(label)}":${packed(tables, result, true)}`)
    return `${JSON.stringify(name)}:{\n${lines.join(',\n')}}`
  })
  const table = ({ list }) => `[\n${list.join(',\n')}]`
  writeFileSync(
    file,
    `{"version":${JSON.stringify(version)},\n"shapes":${table(tables.shapes)},\n"values":${table(tables.values)},\n"scenarios":{\n${scenarios.join(',\n')}}}\n`,
  )
}

/**
 * Returns the recorded results. A step that also Cloch's results contain gets its label back.
 * @param {Record<string, Record<string, object>>} cloch
 */
export function readRecord(file, cloch) {
  const record = JSON.parse(readFileSync(file, 'utf8'))
  const stepsOf = ([name, steps]) => {
    const labels = new Map(Object.keys(cloch[name] ?? {}).map((label) => [digest(label), label]))
    return [
      name,
      Object.fromEntries(
        Object.entries(steps).map(([key, index]) => [
          labels.get(key) ?? `step ${key} of the record`,
          unpacked(record, record.values[index]),
        ]),
      ),
    ]
  }
  return Object.fromEntries(Object.entries(record.scenarios).map(stepsOf))
}
