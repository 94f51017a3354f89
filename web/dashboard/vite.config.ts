import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { compress } from './build/compress.ts'
import { night } from '../ui/build/night.ts'

/** URL of a running `cloch`, to which the development server forwards API requests. */
const api = process.env.CLOCH_API ?? 'http://127.0.0.1:54321'

export default defineConfig({
  base: '/_/',
  plugins: [night('[data-theme=dark]'), react(), tailwindcss(), compress()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { port: 4101, proxy: { '/_/api': { target: api }, '/_/inbox': { target: api } } },
  // No files are inlined. An inlined file would be a data: URL, which the content security policy would have to allow.
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'react',
              test: /node_modules\/(react|react-dom|react-router|scheduler|@tanstack\/(react-query|query-core))\//,
            },
          ],
        },
      },
    },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/test/setup.ts'],
    restoreMocks: true,
  },
})
