/**
 * Mistakes that are generated from the tables of docs/configuration.md: each key of cloch.toml with a value of the wrong type, and with a wrong
 * spelling.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
/** Keys that a section requires. */
const REQUIRED = {
  'server.tls': { listen: '"127.0.0.1:0"', certificate: '"tls.crt"', key: '"tls.key"' },
  'storage.s3': { bucket: '"files"', access_key_id: '"a"', secret_access_key: '"b"' },
}

/**
 * Returns every key of cloch.toml: `{ section, key, kind }`. Some names in sections are chosen by a project; here, they are those of the test's
 * project.
 */
export function keys() {
  const found = []
  let section
  for (const line of readFileSync(join(root, 'docs/configuration.md'), 'utf8').split('\n')) {
    const header = /^## \[(.+)\]$/.exec(line)
    if (header) section = header[1].replace('<id>', 'files').replace('<name>', 'hello')
    const row = /^\| `(\w+)` \| (.+?) \| /.exec(line)
    if (row && section) found.push({ section, key: row[1], kind: row[2] })
  }
  return found
}

/** Returns the dotted key as in messages, without the index of a list's element. */
export const path = ({ section, key }) => `${section.replaceAll(/[[\]]/g, '')}.${key}`

/** Returns a value of a type that the key does not accept. */
function wrongValue(kind) {
  if (/^number|^size/.test(kind)) return '"many"'
  if (/^true/.test(kind)) return '"yes"'
  if (/^list/.test(kind)) return '"one"'
  return '7'
}

const others = (section, key) => Object.entries(REQUIRED[section] ?? {}).filter(([name]) => name !== key).map(([name, value]) => `${name} = ${value}`)

/** Returns a cloch.toml in which the key has a value of the wrong type. */
export const withWrongType = ({ section, key, kind }) => `[${section}]\n${[...others(section, key), `${key} = ${wrongValue(kind)}`].join('\n')}\n`

/** Returns a cloch.toml in which every key has one additional letter. */
export function allMisspelt(all) {
  const sections = all.reduce((map, one) => map.set(one.section, [...(map.get(one.section) ?? []), one]), new Map())
  return [...sections].map(([section, ones]) => `[${section}]\n${[...others(section), ...ones.map(({ key }) => `${key}x = 1`)].join('\n')}\n`).join('\n')
}
