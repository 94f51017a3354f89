import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ResolvedConfig } from 'vite'

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)
/**
 * The files that are compressed. HTML pages are not among them, because the server first inserts the club's settings and then compresses the page.
 */
const compressible = /\.(js|css|svg|json|txt|xml|webmanifest)$/

/** Files smaller than this number of bytes are not compressed, because the additional headers would cost more than is saved. */
const smallest = 1024

/** Writes a .br and a .gz file beside every text file of the build. Therefore the server does not have to compress these files at each request. */
export async function precompress({ root, build }: ResolvedConfig) {
  const folder = join(root, build.outDir)
  const names = await readdir(folder, { recursive: true })
  await Promise.all(names.filter((name) => compressible.test(name)).map((name) => compressOne(join(folder, name))))
}

async function compressOne(path: string) {
  if ((await stat(path)).size < smallest) return
  const bytes = await readFile(path)
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
  await writeFile(`${path}.br`, await brotli(bytes, { params }))
  await writeFile(`${path}.gz`, await zip(bytes, { level: 9 }))
}
