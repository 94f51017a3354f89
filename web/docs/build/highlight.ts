import type { Element } from 'hast'

/**
 * Colours of code as classes. Shiki writes each colour as a style attribute, which the site's content security policy forbids and which
 * makes pages a third larger. Its theme of CSS variables has a fixed set of values; each becomes a class that theme/code.css defines.
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
