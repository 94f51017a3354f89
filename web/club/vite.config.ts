import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { finish, plainMarks } from './build/finish.ts'

/** URL of a running `cloch`, to which the development server forwards the API and /_/config.json. */
const api = process.env.CLOCH_API ?? 'http://127.0.0.1:54321'
const proxied = ['/_', '/auth/v1', '/rest/v1', '/storage/v1', '/functions/v1', '/realtime/v1']
const proxy = Object.fromEntries(proxied.map((path) => [path, { target: api, ws: path === '/realtime/v1' }]))

export default defineConfig({
  plugins: [react(), tailwindcss(), plainMarks(), finish()],
  define: { __BUILD_YEAR__: String(new Date().getFullYear()) },
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  server: { port: 4100, proxy },
  // No files are inlined. An inlined file would be a data: URL, which the content security policy would have to allow.
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Code that almost every page needs is put into one file. On a slow connection, this file loads faster than thirty small ones.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|react-router|scheduler)\//, priority: 2 },
            {
              name: 'frame',
              test: /src\/(app\/(frame|Root)|components\/(Mark|ExternalLink|MoreLink|SectionHead|Panorama|SailingBoard|button|art\/\w+Scene|art\/(Cloch|Ferry|Gull))|lib\/(cn|config|use-page|mailto)\.ts|content\/(navigation|awards|events))/,
              minShareCount: 2,
              priority: 1,
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
