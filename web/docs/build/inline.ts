import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const script = /<script(?![^>]*\bsrc=)([^>]*)>([\s\S]+?)<\/script>/g
/** Style attributes of VitePress's own components. theme/page.css has the first one; the second one is set again when the menu opens. */
const knownStyles = / style="(?:position:relative;|--vp-vh:0px;)"/g

/**
 * Moves the inline scripts of a page into files, and removes its style attributes: the content security policy allows scripts and styles
 * from files only. @throws when the page has a style attribute that is not known
 */
export function withoutInline(page: string, outDir: string, base: string) {
  const html = page.replaceAll(knownStyles, '').replaceAll(script, (_, attributes: string, code: string) => {
    const name = `assets/inline.${createHash('sha256').update(code).digest('hex').slice(0, 12)}.js`
    mkdirSync(join(outDir, 'assets'), { recursive: true })
    writeFileSync(join(outDir, name), code)
    return `<script${attributes} src="${base}${name}"></script>`
  })
  const unknown = /<[^>]* style="[^"]*"[^>]*>|<style\b/.exec(html)?.[0]
  if (unknown !== undefined) throw new Error(`the content security policy forbids ${unknown}`)
  return html
}
