import { defineConfig } from 'vite'

export default defineConfig({
  // Vite reloads the page when files change. The files of Cloch are ignored, because they are not part of the app.
  server: { watch: { ignored: ['**/.cloch/**', '**/supabase/**'] } },
})
