import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { source } from './pages.ts'

/** Treats two braces as text. Otherwise Vue would evaluate them as an expression. */
export function plainBraces(markdown: MarkdownRenderer) {
  for (const rule of ['text', 'code_inline']) {
    const render = markdown.renderer.rules[rule]
    if (render === undefined) throw new Error(`markdown-it has no rule ${rule}`)
    markdown.renderer.rules[rule] = (...parts) => render(...parts).replaceAll('{{', '&#123;&#123;')
  }
}

/** Aligns the cells of tables with classes, because the content security policy forbids style attributes. */
export function alignedCells(markdown: MarkdownRenderer) {
  markdown.core.ruler.push('aligned-cells', ({ tokens }) => {
    for (const token of tokens) {
      const side = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '')?.[1]
      if (side !== undefined) token.attrs = [['class', `cell-${side}`]]
    }
  })
}

/** Renders an empty cell in the head of a table as an ordinary cell. Otherwise screen readers would announce a header without a name. */
export function emptyHeaders(markdown: MarkdownRenderer) {
  markdown.core.ruler.push('empty-headers', ({ tokens }) => {
    tokens.forEach((token, index) => {
      const [content, end] = tokens.slice(index + 1)
      if (token.type === 'th_open' && content?.content.trim() === '' && end?.type === 'th_close') token.tag = end.tag = 'td'
    })
  })
}

/**
 * Removes links to files of the repository outside docs/, because the site has no page for them. The text of the link stays, and a title shows its
 * target.
 */
export function outsideLinks(markdown: MarkdownRenderer) {
  markdown.core.ruler.push('outside-links', ({ tokens, env }) => {
    const page = (env as { realPath?: string; path: string }).realPath ?? (env as { path: string }).path
    for (const { children } of tokens) {
      let isOutside = false
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const file = resolve(page, '..', String(token.attrGet('href')).replace(/#.*/, ''))
          const path = relative(resolve(source, '..'), file)
          isOutside = !/^([a-z]+:|#|\/)/.test(String(token.attrGet('href'))) && !path.startsWith('docs') && existsSync(file)
          if (!isOutside) continue
          token.attrs = [['title', `${path}, in the repository`]]
          token.type = 'outside_open'
          token.tag = 'span'
        } else if (token.type === 'link_close' && isOutside) {
          token.type = 'outside_close'
          token.tag = 'span'
          isOutside = false
        }
      }
    }
  })
}
