import { onUser } from './session'
import { supabase } from './supabase'

export interface Note {
  id: number
  body: string
  created_at: string
  picture?: string | null
}

const list = document.querySelector('#notes')!
const form = document.querySelector<HTMLFormElement>('#new-note')!
const status = document.querySelector('main [role=status]')!

/** Functions that add something to a note's card. */
export const cardParts: ((card: HTMLElement, note: Note) => void)[] = []

export const report = (error: { message: string } | null) => {
  status.textContent = error?.message ?? ''
}

export async function refresh() {
  const { data, error } = await supabase.from('notes').select().order('id', { ascending: false })
  report(error)
  if (data) list.replaceChildren(...data.map(card))
}

function card(note: Note) {
  const item = document.createElement('li')
  const body = document.createElement('p')
  body.textContent = note.body
  const footer = document.createElement('footer')
  const time = document.createElement('time')
  time.dateTime = note.created_at
  time.textContent = new Date(note.created_at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
  const remove = document.createElement('button')
  remove.textContent = 'Delete'
  remove.addEventListener('click', async () => {
    report((await supabase.from('notes').delete().eq('id', note.id)).error)
    await refresh()
  })
  footer.append(time, remove)
  item.append(body, footer)
  for (const part of cardParts) part(item, note)
  return item
}

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { error } = await supabase.from('notes').insert({ body: String(new FormData(form).get('body')) })
  report(error)
  if (!error) form.reset()
  await refresh()
})

onUser((id) => {
  if (id) void refresh()
  else list.replaceChildren()
})
