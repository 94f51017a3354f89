const query = '@media screen and (prefers-color-scheme: dark) {\n  :root {'

/**
 * Rewrites the rule for dark colours. The rule depends on the system's setting; after this, it depends on a selector, which a script sets. For apps
 * in which users can choose the theme.
 * @throws if the style sheet does not contain the rule in the expected form
 */
export function night(selector: string) {
  return {
    name: 'night',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (!id.split('?')[0]?.endsWith('/ui/src/styles/tokens.css')) return null
      if (!code.includes(query)) throw new Error(`tokens.css has no “${query}”`)
      return { code: code.replace(query, `@media screen {\n  ${selector} {`), map: null }
    },
  }
}
