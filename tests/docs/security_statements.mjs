/**
 * The statements of docs/security.md and the tests that prove them. A statement is a paragraph, an item of a list or a row of a table.
 * security_statements.json contains an entry for each statement, with its tests or with the reason why it has no test. Rows of tables with a
 * column `test` contain their tests themselves.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { root } from './pages.mjs'

/** @typedef {{ section: string, text: string, digest: string, header?: string[] }} Statement */

const digest = (text) => createHash('sha256').update(text).digest('hex').slice(0, 10)

/** Returns the cells of a table's row. */
export const cells = (line) => line.replace(/^\||\|$/g, '').split(' | ').map((cell) => cell.trim())

/**
 * Returns the statements of a page. An indented table or list within a list is read as one without indentation.
 * @param {string} page
 * @returns {Statement[]}
 */
export function statements(page) {
  const found = []
  let [section, header, open] = ['', undefined, []]
  const close = () => {
    const text = open.join(' ').replace(/\s+/g, ' ').trim()
    open = []
    // A line that introduces a list or a table is not a statement.
    if (text && !text.endsWith(':')) found.push({ section, text, digest: digest(text) })
  }
  const lines = page.split('\n').map((line) => line.trim())
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('|')) {
      close()
      if (/^\|[-|]+\|$/.test(line)) continue
      if (/^\|[-|]+\|$/.test(lines[index + 1] ?? '')) header = cells(line)
      else found.push({ section, text: line, digest: digest(line), header })
    } else if (line.startsWith('#')) {
      close()
      section = line.replace(/^#+ /, '')
    } else if (line === '') close()
    else {
      if (/^(- |\d+\. )/.test(line)) close()
      open.push(line)
    }
  }
  close()
  return found
}

/** Whether the last column of a table row names the row's tests. */
export const namesTests = ({ header }) => header?.at(-1) === 'test'

/** Folders for short names such as `crashes.test.mjs` that follow a full path. */
const files = new Map()
function all(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (['node_modules', 'target', 'dist', '.git'].includes(entry.name)) continue
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) all(path)
    else files.set(entry.name, [...(files.get(entry.name) ?? []), path])
  }
}
for (const folder of ['tests', 'gateway', 'sql', 'storage', 'backup', 'functions', 'web']) all(folder)

/** Returns the file of a name: a path from the root of the repository, or the name alone if there is one such file. */
export function fileOf(name) {
  if (name.includes('/') && existsSync(join(root, name))) return name
  const known = files.get(name.split('/').at(-1)) ?? []
  return known.filter((path) => path.endsWith(name)).length === 1 ? known.find((path) => path.endsWith(name)) : undefined
}

/** Whether a file contains a test of this title: of node:test or Playwright, a function of Rust, or a case of a shell script. `…` at the end of
 * a title stands for the rest of the title. */
export function hasTest(file, title) {
  const path = join(root, file)
  if (statSync(path).isDirectory()) return false
  const text = readFileSync(path, 'utf8')
  if (file.endsWith('.rs')) {
    const at = text.indexOf(`fn ${title}(`)
    return at >= 0 && /#\[(tokio::|sqlx::)?test|proptest!|#\[case/.test(text.slice(Math.max(0, at - 400), at))
  }
  // Quotes in titles may be escaped. A title that ends with `…` continues in the file.
  const plain = text.replaceAll('\\', '')
  const isStart = title.endsWith(' …')
  return ["'", '"', '`'].some((quote) => plain.includes(quote + title.replace(/ …$/, '') + (isStart ? '' : quote)))
}

/** Returns the references of a row's last cell: files in backticks, each with the titles that follow it. */
export function references(cell) {
  const found = []
  for (const [, code, quoted] of cell.matchAll(/`([^`]+)`|"([^"]+)"/g)) {
    if (quoted !== undefined || !/[./]/.test(code)) found.at(-1)?.titles.push(quoted ?? code)
    else found.push({ file: code, titles: [] })
  }
  return found
}
