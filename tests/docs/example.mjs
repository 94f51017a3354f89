/** examples/notes is the result of docs/start.md: its files equal the page's code blocks; if a path occurs several times, the last block. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { blocksOf } from './blocks.mjs'
import { read, root } from './pages.mjs'

const example = join(root, 'examples/notes')
/** Files that `cloch init` creates and the page's blocks change. */
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
