/** The pages of the user documentation, their links, and the commands that they contain. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** The paths of the README, of every page of docs/ and of the examples' pages, relative to the repository. */
export const pages = ['README.md', 'CONTRIBUTING.md', ...below('docs'), ...examples()]

/** Returns the pages in a folder and in the folders below it. */
function below(folder) {
  const names = readdirSync(join(root, folder), { recursive: true }).filter((name) => name.endsWith('.md'))
  return names.sort().map((name) => `${folder}/${name}`)
}

function examples() {
  const readmes = readdirSync(join(root, 'examples')).map((name) => `examples/${name}/README.md`)
  return readmes.filter((path) => existsSync(join(root, path)))
}

export const read = (page) => readFileSync(join(root, page), 'utf8')
const withoutCode = (text) => text.replaceAll(/```[\s\S]*?```/g, '').replaceAll(/`[^`\n]*`/g, '')

/** Returns the anchors that GitHub generates from the headings of a page. */
function anchors(page) {
  const headings = read(page).replaceAll(/```[\s\S]*?```/g, '').matchAll(/^#+ (.*)$/gm)
  return new Set([...headings].map(([, text]) => text.toLowerCase().replaceAll(/[^\p{Letter}\p{Number} _-]/gu, '').replaceAll(' ', '-')))
}

/** A link to a workflow or its badge. On GitHub, it is relative to the page's address `/OWNER/NAME/blob/BRANCH/README.md`. */
const workflowLink = /^\.\.\/\.\.\/actions\/workflows\/([\w.-]+)(?:\/badge\.svg)?$/

/** Returns the links of a page that have no target. Links to other sites must be URLs. */
export function brokenLinks(page) {
  const text = withoutCode(read(page))
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g), ...text.matchAll(/^\[[^\]]+\]: (\S+)$/gm)].map(([, target]) => target)
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return !URL.canParse(target)
    const workflow = page === 'README.md' ? workflowLink.exec(target)?.[1] : undefined
    if (workflow !== undefined) return !existsSync(join(root, '.github/workflows', workflow))
    const [path, anchor] = target.split('#')
    const file = path ? relative(root, resolve(root, dirname(page), path)) : page
    if (!existsSync(join(root, file))) return true
    return anchor !== undefined && !anchors(file).has(anchor)
  })
}

/** Returns the fenced blocks of all pages that are marked `sh`: `{ page, lines }`. Continued lines are joined. */
export function blocks() {
  return pages.flatMap((page) =>
    [...read(page).matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => ({
      page,
      lines: text.replaceAll(/\\\n\s*/g, '').split('\n').map((line) => line.trim()).filter((line) => line && !line.startsWith('#')),
    })),
  )
}

/** Returns the commands in inline code, such as `cloch backup now | list`. There is one entry for each alternative. */
export function mentions() {
  const found = pages.flatMap((page) => [...read(page).replaceAll(/```[\s\S]*?```/g, '').matchAll(/`(cloch [^`\n]+)`/g)].map(([, text]) => ({ page, text })))
  return found.flatMap(({ page, text }) => {
    const [first, ...others] = text.replaceAll('\\|', '|').replaceAll(/[[\]]/g, '').split(/ ?\| ?/)
    // In `a b | c`, the alternative `c` replaces the last word. Options are separate alternatives.
    const stem = first.split(' ').filter((word) => !word.startsWith('-')).slice(0, -1).join(' ')
    return [first, ...others.map((other) => (other.startsWith('-') ? `${first.split(' -')[0]} ${other}` : `${stem} ${other}`))].map((command) => ({ page, command }))
  })
}
