import { resolve } from 'node:path'
import type { Plugin } from 'vitepress'
import { source } from './pages.ts'

const workspace = resolve(import.meta.dirname, '../package.json')

/** Resolves Vue for the pages as for files of the npm workspace: the pages are outside of it, where no node_modules is above them. */
export function vueOfWorkspace(): Plugin {
  return {
    name: 'vue-of-workspace',
    enforce: 'pre',
    resolveId(id, importer) {
      if (!/^vue(?:\/|$)/.test(id) || !importer?.startsWith(source)) return null
      return this.resolve(id, workspace, { skipSelf: true })
    },
  }
}
