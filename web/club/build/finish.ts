import type { Plugin, ResolvedConfig } from 'vite'
import { writePages, type Bundle } from './pages.ts'
import { precompress } from '../../ui/build/precompress.ts'

/** Vite plugin for the last steps of a build. First the pages are rendered, then all files are compressed. */
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

/** Replaces the placeholders of a page by their default texts, because the development server does not fill them in. */
export function plainMarks(): Plugin {
  return {
    name: 'plain-marks',
    apply: 'serve',
    transformIndexHtml: (html) => html.replace(/\{cloch:\w+(?::[\w.]+)?(?:\|([^}]*))?\}/g, '$1'),
  }
}
