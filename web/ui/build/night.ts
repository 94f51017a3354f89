const query = '@media screen and (prefers-color-scheme: dark) {\n  :root {'

/**
 * The look's night colours follow the system. Where a person may choose day or night, the same values hang on a selector instead, which
 * a script sets. @throws when the tokens no longer have the form that is rewritten
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
