import { defineConfig } from 'vite'

export default defineConfig({
  // Vite reloads the page after changes of files. Cloch's data is no part of the app.
  server: { watch: { ignored: ['**/.cloch/**', '**/supabase/**'] } },
})
