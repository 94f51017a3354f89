import type { Plugin } from 'vite'

const query = '@media screen and (prefers-color-scheme: dark) {\n  :root {'
const switched = '@media screen {\n  [data-theme=dark] {'

/**
 * The look's night colours follow the system. Here a person may choose day or night, so the same values hang on an attribute, which
 * src/lib/theme.ts sets. @throws when the tokens no longer have the form that is rewritten
 */
export function night(): Plugin {
  return {
    name: 'night',
    enforce: 'pre',
    transform(code, id) {
      if (!id.split('?')[0]?.endsWith('/ui/src/styles/tokens.css')) return null
      if (!code.includes(query)) throw new Error(`tokens.css has no “${query}”`)
      return { code: code.replace(query, switched), map: null }
    },
  }
}
