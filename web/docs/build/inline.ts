import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const script = /<script(?![^>]*\bsrc=)([^>]*)>([\s\S]+?)<\/script>/g
/**
 * Style attributes that VitePress's own components write. theme/page.css contains the first one; a script of VitePress sets the second one again when
 * the menu opens.
 */
const knownStyles = / style="(?:position:relative;|--vp-vh:0px;)"/g

/**
 * Moves the inline scripts of a page into files, and removes its style attributes. This is needed because the content security policy allows scripts
 * and styles only in files.
 * @throws if the page has an unknown style attribute
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
