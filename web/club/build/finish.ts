import type { Plugin, ResolvedConfig } from 'vite'
import { writePages, type Bundle } from './pages.ts'
import { precompress } from '../../ui/build/precompress.ts'

/** Vite plugin for the last steps of a build: pages are rendered, then all files are compressed. */
export function finish(): Plugin {
  let config: ResolvedConfig
  let bundle: Bundle = {}
  return {
    name: 'finish',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    writeBundle(_, written) {
      bundle = written
    },
    async closeBundle() {
      await writePages(config, bundle)
      await precompress(config)
    },
  }
}

/** The development server does not fill in a page's placeholders, so they are replaced by their default texts. */
export function plainMarks(): Plugin {
  return {
    name: 'plain-marks',
    apply: 'serve',
    transformIndexHtml: (html) => html.replace(/\{cloch:\w+(?::[\w.]+)?(?:\|([^}]*))?\}/g, '$1'),
  }
}
