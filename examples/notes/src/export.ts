import { report } from './notes'
import { supabase } from './supabase'

const button = document.querySelector<HTMLButtonElement>('#export')!
button.hidden = false

button.addEventListener('click', async () => {
  const { data, error } = await supabase.functions.invoke<{ markdown: string }>('export-notes', { body: {} })
  report(error)
  if (!data) return
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([data.markdown], { type: 'text/markdown' }))
  link.download = 'notes.md'
  link.click()
})
