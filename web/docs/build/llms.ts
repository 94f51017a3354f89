import { home, kinds, pagesOf } from './kinds.ts'
import { listPages, readPage, siteName, titleOf } from './pages.ts'

/** Maximum length of a page's description in characters. */
const maxDescription = 200

/**
 * The text of llms.txt, a list of all pages for language models (see llmstxt.org). The links lead to the Markdown files of the pages, which are part
 * of the site too.
 */
export function llmsText(base: string) {
  const pages = listPages()
  const parts = kinds.map((kind) => {
    const lines = pagesOf(kind, pages).map((page) => `- [${titleOf(page)}](${base}${siteName(page)}): ${describe(page)}`)
    return `## ${kind.name}\n\n${lines.join('\n')}\n`
  })
  return `# Cloch\n\n> ${describe(home, Infinity)}\n\n${parts.join('\n')}`
}

/** The first paragraph of a page, on one line. If it is too long, it is cut after a word. */
export function describe(page: string, most = maxDescription) {
  const paragraphs = readPage(page).split(/\n{2,}/)
  const first = paragraphs.find((text) => /^[\p{Letter}*`[\d]/u.test(text)) ?? titleOf(page)
  const plain = first
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|`/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain.length <= most ? plain : `${plain.slice(0, most).replace(/\s+\S*$/, '')} …`
}
