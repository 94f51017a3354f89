/**
 * The file with the record. Objects and texts that occur several times are stored once: `{"$": n}` is the n-th of `shared`.
 * A step is an array: its name, the status, the body, and everything else.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const file = join(import.meta.dirname, 'recorded.json')
/** Shorter ones are not worth a reference. */
const SHORTEST = 11

export function readRecord() {
  const { shared, scenarios } = JSON.parse(readFileSync(file, 'utf8'))
  const expand = (value) => {
    if (value === null || typeof value !== 'object') return value
    if (typeof value.$ === 'number') return expand(shared[value.$])
    if (Array.isArray(value)) return value.map(expand)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expand(item)]))
  }
  return Object.fromEntries(Object.entries(scenarios).map(([name, steps]) => [name, steps.map((step) => fromArray(expand(step)))]))
}

export function writeRecord(scenarios, version) {
  const counts = count(scenarios)
  const shared = []
  const places = new Map()
  const pack = (value) => {
    const text = JSON.stringify(value)
    if (!(counts.get(text) > 1)) return packItems(value)
    if (!places.has(text)) places.set(text, shared.push(packItems(value)) - 1)
    return { $: places.get(text) }
  }
  const packItems = (value) =>
    value === null || typeof value !== 'object'
      ? value
      : Array.isArray(value)
        ? value.map(pack)
        : Object.fromEntries(Object.entries(value).map(([key, item]) => [key, pack(item)]))
  const packed = Object.entries(scenarios).map(([name, steps]) => `${JSON.stringify(name)}: ${lines(steps.map((step) => toArray(packItems(step))))}`)
  writeFileSync(file, `{"version": ${JSON.stringify(version)},\n"scenarios": {\n${packed.join(',\n')}\n},\n"shared": ${lines(shared)}}\n`)
}

const toArray = ({ name, status = null, body = null, ...others }) => {
  const step = [name, status, body, others]
  while (step.at(-1) === null || (step.length === 4 && Object.keys(others).length === 0)) step.pop()
  return step
}

const fromArray = ([name, status, body, others]) => ({ name, ...(status != null && { status }), ...(body != null && { body }), ...others })

/** How often each object occurs. */
function count(scenarios) {
  const counts = new Map()
  const visit = (value) => {
    const text = JSON.stringify(value)
    if (text === undefined || text.length < SHORTEST) return
    counts.set(text, (counts.get(text) ?? 0) + 1)
    // What is inside a repeated object is stored with it.
    if (counts.get(text) === 1 && typeof value === 'object') Object.values(value).forEach(visit)
  }
  for (const { name: _, ...results } of Object.values(scenarios).flat()) Object.values(results).forEach(visit)
  return counts
}

const lines = (items) => `[\n${items.map((item) => JSON.stringify(item)).join(',\n')}\n]`
