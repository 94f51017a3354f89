import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { createCssVariablesTheme } from 'shiki/core'
import { defineConfig, type SiteConfig } from 'vitepress'
import { night } from '../../ui/build/night.ts'
import { colours } from '../build/highlight.ts'
import { kinds } from '../build/kinds.ts'
import { brokenLinks } from '../build/links.ts'
import { llmsText } from '../build/llms.ts'
import { alignedCells, emptyHeaders, outsideLinks, plainBraces } from '../build/markdown.ts'
import { withNavigationClasses } from '../build/navbar.ts'
import { pack } from '../build/pack.ts'
import { linkTo, listPages, ordered, sidebar, siteName, source, titleOf, version } from '../build/pages.ts'
import { vueOfWorkspace } from '../build/resolve.ts'
import { withoutInline } from '../build/inline.ts'
import { slug } from '../build/slug.ts'

/**
 * The path at which the site is served. In every installation of Cloch this is /_/docs/. To build it for another host: CLOCH_DOCS_BASE=/ npm run
 * build.
 */
const base = process.env.CLOCH_DOCS_BASE ?? '/_/docs/'
const folder = resolve(import.meta.dirname, '../dist')
const logo = 'cloch.svg'

export default defineConfig({
  title: 'Cloch',
  titleTemplate: ':title · Cloch',
  description: 'Cloch is a Supabase-compatible backend in one program.',
  lang: 'en-GB',
  base,
  srcDir: source,
  outDir: join(folder, 'site'),
  cacheDir: resolve(import.meta.dirname, '../../node_modules/.cache/docs'),
  rewrites: Object.fromEntries(listPages().map((page) => [page, siteName(page)])),
  metaChunk: true,
  // By default, VueUse switches off transitions with an inline style, which the content security policy forbids.
  appearance: { disableTransition: false },
  head: [['link', { rel: 'icon', href: `${base}${logo}`, type: 'image/svg+xml' }]],
  // Preloads the fonts. Without this, the text would move when the fonts arrive.
  transformHead: ({ assets }) =>
    assets
      .filter((file) => file.endsWith('.woff2'))
      .map((href) => ['link', { rel: 'preload', href, as: 'font', type: 'font/woff2', crossorigin: '' }]),
  markdown: {
    html: false,
    theme: createCssVariablesTheme({ name: 'classes', variablePrefix: '--code-', fontStyle: false }),
    codeTransformers: [colours],
    anchor: { slugify: slug },
    config: (markdown) => {
      plainBraces(markdown)
      alignedCells(markdown)
      emptyHeaders(markdown)
      outsideLinks(markdown)
    },
  },
  themeConfig: {
    siteTitle: `Cloch ${version()}`,
    logo: `/${logo}`,
    outline: [2, 3],
    sidebar: sidebar(),
    contents: ordered().map(({ kind, pages }) => ({
      name: kind.name,
      purpose: kind.purpose,
      pages: pages
        .filter((page) => !page.includes('/') || page.endsWith('/README.md'))
        .map((page) => ({ text: titleOf(page), link: linkTo(page) })),
    })),
    nav: kinds.flatMap((kind) => {
      const first = ordered().find((one) => one.kind === kind)?.pages[0]
      return first === undefined ? [] : [{ text: kind.name, link: linkTo(first) }]
    }),
    search: { provider: 'local', options: { detailedView: false } },
  } as object,
  vite: {
    plugins: [vueOfWorkspace(), night('.dark')],
    // No files are inlined. An inlined file would be a data: URL, which the content security policy would have to allow.
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 2000 },
  },
  transformHtml: (page) => withoutInline(withNavigationClasses(page), join(folder, 'site'), base),
  buildEnd: finish,
})

/** Adds the files that are not pages, checks all links, and packs the site for the server program. @throws if a link is broken */
function finish({ outDir }: SiteConfig) {
  copyFileSync(resolve(import.meta.dirname, '../../dashboard/public/favicon.svg'), join(outDir, logo))
  for (const name of readdirSync(source))
    if (/\.(?:ya?ml|json)$/.test(name)) copyFileSync(join(source, name), join(outDir, name))
  for (const page of listPages()) copyFileSync(join(source, page), join(outDir, siteName(page)))
  writeFileSync(join(outDir, 'llms.txt'), llmsText(base))
  const { pages, broken } = brokenLinks(outDir, base)
  if (broken.length > 0) throw new Error(`broken links:\n${broken.join('\n')}`)
  const bytes = pack(outDir, join(folder, 'packed'))
  console.error(`${basename(source)}: ${pages} pages without broken links, ${Math.round(bytes / 1024)} KiB in the program`)
}
