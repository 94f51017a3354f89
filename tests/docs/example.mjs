/** examples/notes is what docs/start.md builds: its files are those of the page's blocks, the last one where a path occurs more than once. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { blocksOf } from './blocks.mjs'
import { read, root } from './pages.mjs'

const example = join(root, 'examples/notes')
/** Blocks that change a file which `cloch init` has made. */
const isMerged = (path) => path.endsWith('.toml')

/** The paths of files that differ from the page; with `update`, they are written. */
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
