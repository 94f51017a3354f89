/** Compares the steps of two servers, value by value. */

/** @returns one entry for each value that differs: `step`, `path` of the value, `reference`, `cloch`, and
 *   the `outcome`, which is Cloch's status and error code */
export function differencesOf(reference, cloch) {
  const found = []
  for (let n = 0; n < Math.max(reference.length, cloch.length); n += 1) {
    const [a, b] = [reference[n], cloch[n]]
    if (a?.name !== b?.name) {
      found.push({ step: a?.name ?? b?.name, path: 'step', reference: a?.name, cloch: b?.name })
      continue
    }
    if (a.status !== b.status) {
      found.push({ step: a.name, path: 'status', outcome: outcomeOf(b), reference: answer(a), cloch: answer(b) })
      continue
    }
    const [left, right] = [values(a), values(b)]
    const outcome = outcomeOf(b)
    for (const path of new Set([...Object.keys(left), ...Object.keys(right)])) {
      if (left[path] !== right[path]) found.push({ step: a.name, path, outcome, reference: left[path], cloch: right[path] })
    }
  }
  return found
}

const outcomeOf = ({ status, body }) => `${status} ${body?.error_code ?? String(body).split(':')[0]}`

/** If the status differs, the other values say nothing more. */
const answer = ({ status, body }) => `${status} ${typeof body === 'string' ? body : body?.error_code ? `${body.error_code}: ${body.msg}` : ''}`

/** All values of a step by their paths: `body.user.email`. */
function values(value, path = '', found = {}) {
  if (value === null || typeof value !== 'object') {
    found[path] = JSON.stringify(value)
    return found
  }
  const entries = Object.entries(value)
  if (entries.length === 0) found[path] = Array.isArray(value) ? '[]' : '{}'
  for (const [key, item] of entries) values(item, path ? `${path}.${key}` : key, found)
  return found
}

/** @returns the differences that no entry allows, and the entries that allow none */
export function explain(found, allowed) {
  const used = new Set()
  const unexplained = found.filter((difference) => {
    const entries = allowed.filter((entry) => matches(entry, difference))
    entries.forEach((entry) => used.add(entry))
    return entries.length === 0
  })
  return { unexplained, unused: allowed.filter((entry) => !used.has(entry)) }
}

const matches = (entry, difference) =>
  ['scenario', 'step', 'path', 'outcome', 'reference', 'cloch'].every((key) => entry[key] === undefined || entry[key].test(String(difference[key])))

/** One line for each difference, grouped by step. */
export function report(found) {
  const lines = []
  let last
  for (const { scenario, step, path, reference, cloch } of found) {
    if (last !== `${scenario} ${step}`) lines.push(`${scenario}: ${step}`)
    last = `${scenario} ${step}`
    lines.push(`    ${path}: reference ${short(reference)}, Cloch ${short(cloch)}`)
  }
  return lines.join('\n')
}

const short = (text) => (text === undefined ? 'has none' : text.length > 160 ? `${text.slice(0, 160)}…` : text)
