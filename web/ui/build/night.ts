const query = '@media screen and (prefers-color-scheme: dark) {\n  :root {'

/**
 * The dark colours follow the system's setting. In an app where users can choose the theme, this rewrites the rule to a selector, which a script
 * sets.
 * @throws if the tokens no longer have the form that is rewritten
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
