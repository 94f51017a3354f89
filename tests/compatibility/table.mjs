/** Rows of docs/compatibility.md: what was tried, and the result. */

/**
 * A thing to try. `probe` fails where Cloch does not do it. `differs` says how Cloch does it in another way, and why; `missing` why it is not
 * there. A note that is no longer true shows as another row, so the document is stale.
 * @typedef {{ name: string, probe?: (context: any) => unknown, differs?: string, missing?: string }} Entry
 */

/** Runs the probes one after another, because many need the results of earlier ones. */
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

/** The rows of a section: a table of those that do not work, or work differently, then one paragraph with all that work. */
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

/** The data of a client's result, which must not be an error. */
export const good = ({ data, error }) => {
  if (error) throw error
  return data
}

export const expect = (value, what) => {
  if (!value) throw new Error(`it is not so: ${what}`)
}
