/**
 * examples/notes is the result of docs/start.md. Its files equal the code blocks of the page. If a path occurs in several blocks, the last one
 * counts.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { blocksOf } from './blocks.mjs'
import { read, root } from './pages.mjs'

const example = join(root, 'examples/notes')
/** Returns whether `cloch init` creates the file and the blocks of the page only change it. */
const isMerged = (path) => path.endsWith('.toml')

/** Returns the paths of files that differ from the page. With `update`, writes these files. */
export function staleFiles({ update = false } = {}) {
  const files = new Map(blocksOf('docs/start.md', read('docs/start.md')).filter(({ file }) => file && !isMerged(file)).map(({ file, body }) => [file, body]))
  const stale = [...files].filter(([path, text]) => !existsSync(join(example, path)) || readFileSync(join(example, path), 'utf8') !== text)
  if (update) {
    for (const [path, text] of stale) {
      mkdirSync(dirname(join(example, path)), { recursive: true })
      writeFileSync(join(example, path), text)
    }
  }
  return stale.map(([path]) => path)
}
