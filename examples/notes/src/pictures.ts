import { cardParts, refresh, report, type Note } from './notes'
import { supabase } from './supabase'

const pictures = supabase.storage.from('pictures')

/** Shows the picture of a note by a link that works for an hour. */
async function show(card: HTMLElement, path: string) {
  const { data, error } = await pictures.createSignedUrl(path, 3600)
  if (!data) return report(error)
  const image = document.createElement('img')
  image.src = data.signedUrl
  image.alt = ''
  card.prepend(image)
}

async function add(note: Note, file: File) {
  const { data } = await supabase.auth.getSession()
  const path = `${data.session!.user.id}/${note.id}-${Date.now()}`
  const uploaded = await pictures.upload(path, file)
  if (uploaded.error) return report(uploaded.error)
  report((await supabase.from('notes').update({ picture: path }).eq('id', note.id)).error)
  await refresh()
}

cardParts.push((card, note) => {
  if (note.picture) {
    void show(card, note.picture)
    return
  }
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = 'image/jpeg,image/png,image/webp'
  input.addEventListener('change', () => input.files?.[0] && void add(note, input.files[0]))
  const label = document.createElement('label')
  label.append('Picture', input)
  card.querySelector('footer')!.append(label)
})
