'use server'

import { revalidatePath } from 'next/cache'
import { redirect } from 'next/navigation'
import { supabaseOfRequest } from '@/lib/supabase'

// Anybody can call a server action. What the caller may do is decided by the policies of the database.

/** An error message, which the form shows. `undefined` after success. */
type Message = string | undefined

export async function signIn(_before: Message, form: FormData): Promise<Message> {
  const supabase = await supabaseOfRequest()
  const account = { email: String(form.get('email')), password: String(form.get('password')) }
  const isNew = form.get('button') === 'sign-up'
  const { error } = isNew ? await supabase.auth.signUp(account) : await supabase.auth.signInWithPassword(account)
  if (error) return error.message
  redirect('/')
}

export async function signOut() {
  const supabase = await supabaseOfRequest()
  await supabase.auth.signOut({ scope: 'local' })
  redirect('/sign-in')
}

export async function addBook(_before: Message, form: FormData): Promise<Message> {
  const supabase = await supabaseOfRequest()
  const { error } = await supabase.from('books').insert({ title: String(form.get('title')) })
  if (error) return error.message
  revalidatePath('/')
}

export async function setRead(id: number, isRead: boolean) {
  const supabase = await supabaseOfRequest()
  const { error } = await supabase.from('books').update({ is_read: isRead }).eq('id', id)
  if (error) throw new Error(error.message)
  revalidatePath('/')
}
