import { resolve } from 'node:path'
import type { Plugin } from 'vitepress'
import { source } from './pages.ts'

const workspace = resolve(import.meta.dirname, '../package.json')

/** Lets the pages import Vue from the npm workspace. The pages are outside the workspace, so Vite finds no node_modules folder for them. */
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
