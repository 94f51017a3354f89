import type { Plugin, ResolvedConfig } from 'vite'
import { precompress } from '../../ui/build/precompress.ts'

/** Vite plugin that writes a compressed copy beside each file of the build. */
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
