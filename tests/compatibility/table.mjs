/** Rows of docs/compatibility.md: what the test has tried, and the result. */

/**
 * A feature to try. `probe` fails if Cloch does not have the feature. `differs` describes how Cloch differs, and why. `missing` is the reason why
 * Cloch does not have the feature. If such a note is no longer true, the row of the feature changes, and the test reports a stale document.
 * @typedef {{ name: string, probe?: (context: any) => unknown, differs?: string, missing?: string }} Entry
 */

/** Runs the probes one after another, because many of them need the results of earlier probes. */
export async function tryAll(entries, context) {
  const rows = []
  for (const { name, probe, differs, missing } of entries) {
    if (!probe) {
      rows.push({ name, status: 'unknown', note: 'nobody has tried it' })
      continue
    }
    try {
      await probe(context)
      rows.push(differs ? { name, status: 'differs', note: differs } : { name, status: 'works', note: '' })
    } catch (error) {
      rows.push({ name, status: missing ? 'not there' : 'FAILS', note: missing ?? String(error.message ?? error).split('\n')[0].slice(0, 200) })
    }
  }
  return rows
}

const escaped = (text) => text.replaceAll('|', '\\|')

/** Returns the rows of a section: a table of the features that do not work or that differ, and then one paragraph with all features that work. */
export function section(title, rows, intro = '') {
  const others = rows.filter(({ status }) => status !== 'works')
  const working = rows.filter(({ status }) => status === 'works').map(({ name }) => `\`${name}\``)
  const lines = [`## ${title}`, '']
  if (intro) lines.push(intro, '')
  lines.push(`${working.length} of ${rows.length} work.`, '')
  if (others.length) {
    lines.push('| | | |', '|---|---|---|')
    for (const { name, status, note } of others) lines.push(`| \`${escaped(name)}\` | ${status} | ${escaped(note)} |`)
    lines.push('')
  }
  lines.push(`Works: ${working.join(', ')}.`, '')
  return lines.join('\n')
}

/** Expects that the client's result is not an error. Returns its data. */
export const good = ({ data, error }) => {
  if (error) throw error
  return data
}

export const expect = (value, what) => {
  if (!value) throw new Error(`it is not so: ${what}`)
}
