import { useMutation } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'
import type { Credentials } from './sign-in'

async function signUp({ email, password }: Credentials) {
  const supabase = await connect()
  const emailRedirectTo = new URL('/admin', window.location.origin).href
  const { error } = await supabase.auth.signUp({ email, password, options: { emailRedirectTo } })
  if (error) throw error
}

export function useSignUp() {
  return useMutation({ mutationFn: signUp })
}
