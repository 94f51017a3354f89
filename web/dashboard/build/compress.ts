import type { Plugin, ResolvedConfig } from 'vite'
import { precompress } from '../../ui/build/precompress.ts'

/** Writes the compressed forms of the built files. */
export function compress(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'compress',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    closeBundle: () => precompress(config),
  }
}
