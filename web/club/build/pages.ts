import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type ResolvedConfig, type Rolldown } from 'vite'
import type { DrawnPage } from '../src/lib/drawn-page.ts'

/** The files of the app's build, as the bundler passes them to plugins. */
export type Bundle = Record<string, Rolldown.OutputChunk | Rolldown.OutputAsset>

/** The app's first module after `boot.ts`. It runs after the code of the page. */
const appSource = 'src/main.tsx'

/**
 * Name of the shell: a page without content, in which the app renders. The server sends it for all addresses whose page was not rendered at build
 * time.
 */
const shellName = '200.html'

/**
 * Writes the visitors' pages as HTML files, so that they can be read before any script has run: index.html, events/index.html and so on. A view of a
 * page that a query selects is a file in the same folder: young-artist/index.view=form.html for /young-artist?view=form. The shell, which was
 * index.html before, is written as 200.html. It is also written at the addresses of pages that are not rendered at build time. For all other
 * addresses, the server sends 404.html.
 */
export async function writePages(config: ResolvedConfig, bundle: Bundle) {
  const folder = join(config.root, config.build.outDir)
  const shell = await readFile(join(folder, 'index.html'), 'utf8')
  await writeFile(join(folder, shellName), shell)
  const write = async (name: string, text: string) => {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  const { pages, shellPaths } = await draw(config)
  for (const page of pages) await write(page.file, await compose(shell, page, bundle, folder))
  for (const path of shellPaths) await write(`${path}/index.html`, shell)
}

/** Runs the code of the app outside a browser and renders each page. */
async function draw(config: ResolvedConfig): Promise<{ pages: DrawnPage[]; shellPaths: string[] }> {
  const outDir = join(config.cacheDir, 'pages')
  await build({
    configFile: false,
    root: config.root,
    logLevel: 'warn',
    define: config.define ?? {},
    resolve: { alias: config.resolve.alias },
    build: { ssr: 'src/prerender.tsx', outDir, emptyOutDir: true, copyPublicDir: false },
  })
  const program = pathToFileURL(join(outDir, 'prerender.js')).href
  const drawn = (await import(program)) as { drawPages: () => Promise<DrawnPage[]>; shellPaths: string[] }
  const pages = await drawn.drawPages()
  await rm(outDir, { recursive: true })
  return { pages, shellPaths: drawn.shellPaths }
}

/** Returns the shell with the content of a page: the page's HTML, its tags for <head>, the styles it needs, and the names of its scripts. */
async function compose(shell: string, page: DrawnPage, bundle: Bundle, folder: string): Promise<string> {
  const chunks = [...new Set(page.sources.flatMap((source) => chunksOf(source, bundle)))]
  const app = chunksOf(appSource, bundle).slice(0, -1)
  const sheets = [...sheetsOf(shell), ...chunks.flatMap((chunk) => [...(chunk.viteMetadata?.importedCss ?? [])])]
  const styles = await Promise.all([...new Set(sheets)].map((name) => readFile(join(folder, name), 'utf8')))
  const scripts = [...new Set([...app, ...chunks])].map(({ fileName }) => `/${fileName}`).join(' ')
  return shell
    .replace(/<title>.*?<\/title>\s*<meta\s+name="description"[^>]*>/s, () => headTags(page))
    .replace(/\s*<link rel="stylesheet"[^>]*>/g, '')
    .replace('</head>', () => `<style>${styles.join('')}</style>\n  </head>`)
    .replace(
      /<div id="root">.*<\/div>(?=\s*<\/body>)/s,
      () => `<div id="root" data-page="${page.address}" data-scripts="${scripts}">${page.html}</div>`,
    )
}

/** Returns the chunks of a source file: all chunks that its chunk imports, and finally its own chunk. Each chunk comes after the chunks that it
 * imports. */
function chunksOf(source: string, bundle: Bundle): Rolldown.OutputChunk[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
  const visited = new Set<string>()
  const found: Rolldown.OutputChunk[] = []
  const visit = (chunk: Rolldown.OutputChunk | undefined) => {
    if (!chunk || visited.has(chunk.fileName)) return
    visited.add(chunk.fileName)
    chunk.imports.forEach((name) => visit(chunks.find(({ fileName }) => fileName === name)))
    found.push(chunk)
  }
  const own = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(source))
  if (!own) throw new Error(`${source} has no chunk of its own`)
  visit(own)
  return found
}

function sheetsOf(shell: string): string[] {
  return [...shell.matchAll(/<link rel="stylesheet"[^>]*href="\/([^"]+)"/g)].map((match) => match[1] ?? '')
}

function headTags({ head }: DrawnPage): string {
  const tags = [
    `<title>${escape(head.title)}</title>`,
    `<meta name="description" content="${escape(head.description)}">`,
    `<meta name="robots" content="${escape(head.robots)}">`,
  ]
  if (head.canonical !== undefined) tags.push(`<link rel="canonical" href="${escape(head.canonical)}">`)
  if (head.structured !== undefined) {
    // With this prefix, the server inserts the value of a placeholder as JSON. The character < is escaped, so that no text can end the script
    // element.
    const json = head.structured.replaceAll('{cloch:text:', '{cloch:json:').replaceAll('<', '\\u003c')
    tags.push(`<script type="application/ld+json">${json}</script>`)
  }
  return tags.join('\n    ')
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
