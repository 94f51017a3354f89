/** Folders of files for synchronisation tools. The names of the files contain every character that Supabase's storage accepts. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

const characters = "_!-.*'() &$=@;:+,?"

/** Creates `count` files below a folder, in folders of twenty files. */
export function makeFiles(folder, count) {
  for (let index = 0; index < count; index++) {
    const mark = characters[index % characters.length]
    const path = join(folder, `folder ${Math.floor(index / 20)}${mark}x`, `a${mark}b ${index}.txt`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `file ${index} `.repeat(index % 50))
  }
}

/** Returns the files below a folder: path and digest, sorted. */
export function digests(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  return paths.map((path) => `${relative(folder, path)} ${createHash('md5').update(readFileSync(path)).digest('hex')}`).sort()
}
