import { supabase } from './supabase'

const form = document.querySelector<HTMLFormElement>('#sign-in')!
const app = document.querySelector<HTMLElement>('#app')!

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const fields = new FormData(form)
  const account = { email: String(fields.get('email')), password: String(fields.get('password')) }
  const isNew = (event.submitter as HTMLButtonElement).value === 'sign-up'
  const { error } = isNew ? await supabase.auth.signUp(account) : await supabase.auth.signInWithPassword(account)
  form.querySelector('[role=alert]')!.textContent = error?.message ?? ''
})

document.querySelector('#sign-out')!.addEventListener('click', () => supabase.auth.signOut())

/** Calls `work` after each change of the user: with the user's id, or with `undefined` after signing out. */
export function onUser(work: (id: string | undefined) => void) {
  let last: string | undefined | null = null
  supabase.auth.onAuthStateChange((_event, session) => {
    const id = session?.user.id
    if (id === last) return
    last = id
    // Not inside this callback: the client sends no request until the callback has returned.
    setTimeout(() => work(id))
  })
}

onUser(async (id) => {
  form.hidden = id !== undefined
  app.hidden = id === undefined
  const { data } = await supabase.auth.getSession()
  document.querySelector('#user')!.textContent = data.session?.user.email ?? ''
})
