import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** Maximum size in bytes of the site inside the server program. */
const maxBytes = 2 * 1024 * 1024
const compressed = /\.(?:woff2|png|jpe?g|webp|avif|gz)$/

/**
 * Writes the files of the site as the server program contains them. Text files are stored only in compressed form (.gz); for a client that does not
 * accept gzip, the server decompresses them.
 * @returns the size in bytes
 * @throws if the site is larger than the limit
 */
export function pack(from: string, to: string) {
  rmSync(to, { recursive: true, force: true })
  let total = 0
  for (const name of readdirSync(from, { recursive: true }).map(String)) {
    if (!statSync(join(from, name)).isFile()) continue
    const bytes = readFileSync(join(from, name))
    const isText = !compressed.test(name)
    const packed = isText ? gzipSync(bytes, { level: 9 }) : bytes
    const file = join(to, isText ? `${name}.gz` : name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, packed)
    total += packed.length
  }
  if (total > maxBytes) throw new Error(`the site has ${total} bytes, more than the ${maxBytes} that the program may contain`)
  return total
}
