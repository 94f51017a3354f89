/** The fenced code blocks of all pages. For each block, the path of the file into which a reader saves it. */
import { pages, read } from './pages.mjs'

/** A path in a comment on the first line: `-- supabase/migrations/1_notes.sql`, `// src/main.ts`, `# supabase/cloch.toml`, `<!-- index.html -->`. */
const PATH = /^(?:--|\/\/|#|<!--) ([\w.-]+(?:\/[\w.-]+)*\.(?:sql|tsx?|toml|json|html|env)|[\w/.-]*\.env)(?: -->)?$/

/**
 * Returns every block: `{ page, line, language, isRun, text, file, body }`. `isRun`: the fence is marked `run`. Client code in such a block is
 * executed; other client code is only type-checked. `file`: the path in the first line. `body`: the text without the
 * line that contains the path.
 */
export function allBlocks() {
  return pages.flatMap((page) => blocksOf(page, read(page)))
}

export function blocksOf(page, text) {
  const found = []
  let open
  text.split('\n').forEach((content, index) => {
    const fence = /^( *)(```+)(.*)$/.exec(content)
    if (open) {
      if (fence && fence[2].length >= open.fence && !fence[3].trim()) {
        found.push(finished(open))
        open = undefined
      } else open.lines.push(content.startsWith(open.indent) ? content.slice(open.indent.length) : content.trimStart())
    } else if (fence) {
      const [language = '', ...flags] = fence[3].trim().split(/\s+/)
      open = { page, line: index + 1, indent: fence[1], fence: fence[2].length, language, isRun: flags.includes('run'), lines: [] }
    }
  })
  if (open) throw new Error(`${page}:${open.line}: the block does not end`)
  return found
}

function finished({ page, line, language, isRun, lines }) {
  const file = PATH.exec(lines[0] ?? '')?.[1]
  const text = `${lines.join('\n')}\n`
  return { page, line, language, isRun, text, file, body: file ? `${lines.slice(1).join('\n')}\n` : text }
}

/** Returns the lines of a page that are code because they are indented. The tests do not find such code, so pages must use fences. */
export function indentedCode(page) {
  const text = read(page).replaceAll(/^( *)```[\s\S]*?^\1```/gm, '')
  const lines = text.split('\n')
  let isList = false
  return lines.filter((line, index) => {
    if (/^(?: {0,3}[-*]|\d+\.) /.test(line)) isList = true
    else if (/^\S/.test(line)) isList = false
    return !isList && /^ {4}\S/.test(line) && lines[index - 1].trim() === ''
  })
}
