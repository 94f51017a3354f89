/** Compares results, and subtracts the allowed differences. */

/** Returns the paths at which two values differ, with both values. A list of another length is one difference. */
function* walk(reference, cloch, path) {
  if (JSON.stringify(reference) === JSON.stringify(cloch)) return
  const comparable = [reference, cloch].every((value) => value !== null && typeof value === 'object')
  const lists = [reference, cloch].map(Array.isArray)
  if (!comparable || lists[0] !== lists[1] || (lists[0] && reference.length !== cloch.length)) {
    yield { path, reference, cloch }
    return
  }
  for (const key of new Set([...Object.keys(reference), ...Object.keys(cloch)]))
    yield* walk(reference[key], cloch[key], path === '' ? key : `${path}.${key}`)
}

/**
 * Returns the unexplained differences.
 * @param {{ reason: string, explains: (step: object, difference: object) => boolean }[]} allowed `step`: its scenario, its label and both results;
 *   `difference`: a path in the results, and the values there
 * @returns {{ differences: string[], unused: string[], steps: number }}
 */
export function compare(reference, cloch, allowed) {
  const used = new Set()
  const explained = (step, difference) => {
    const entry = allowed.find(({ explains }) => explains(step, difference))
    if (entry !== undefined) used.add(entry)
    return entry !== undefined
  }
  const differences = []
  let steps = 0
  for (const scenario of new Set([...Object.keys(reference), ...Object.keys(cloch)])) {
    const [expected, actual] = [reference[scenario] ?? {}, cloch[scenario] ?? {}]
    for (const label of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      steps += 1
      const step = { scenario, label, reference: expected[label], cloch: actual[label] }
      const found = [...walk(step.reference, step.cloch, '')].filter((difference) => !explained(step, difference))
      if (found.length > 0) differences.push(describe(step, found))
    }
  }
  return { differences, unused: allowed.filter((entry) => !used.has(entry)).map(({ reason }) => reason), steps }
}

const shown = (value) => (JSON.stringify(value) ?? 'nothing').slice(0, 300)

const describe = ({ scenario, label }, found) =>
  [
    `${scenario}: ${label}`,
    ...found.map(({ path, reference, cloch }) => `    ${path || 'step'}: reference ${shown(reference)}, Cloch ${shown(cloch)}`),
  ].join('\n')
