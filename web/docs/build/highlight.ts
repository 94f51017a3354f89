import type { Element } from 'hast'

/**
 * Highlights code with CSS classes. Shiki writes each colour as a style attribute, which the site's content security policy forbids, and which makes
 * pages a third larger. Shiki's theme of CSS variables has a fixed set of values, so each value is replaced by a class, which theme/code.css defines.
 */
export const colours = {
  name: 'classes',
  span(node: Element) {
    const style = node.properties.style
    delete node.properties.style
    const names = typeof style === 'string' ? [...style.matchAll(/--code-token-([a-z-]+)|(font-(?:style|weight))/g)] : []
    const classes = names.map(([, token, font]) => `c-${token ?? font ?? ''}`)
    if (classes.length > 0) node.properties.class = classes.join(' ')
  },
  pre(node: Element) {
    delete node.properties.style
  },
}
