import type { Plugin, ResolvedConfig } from 'vite'
import { writePages, type Bundle } from './pages.ts'
import { precompress } from '../../ui/build/precompress.ts'

/** What happens to the app's files when they are built: pages are drawn, then everything is compressed. */
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

/** The development server has no one to fill in a page's marks: it shows what stands in them. */
export function plainMarks(): Plugin {
  return {
    name: 'plain-marks',
    apply: 'serve',
    transformIndexHtml: (html) => html.replace(/\{cloch:\w+(?::[\w.]+)?(?:\|([^}]*))?\}/g, '$1'),
  }
}
