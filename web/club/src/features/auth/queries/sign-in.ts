import { useMutation } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'

export interface Credentials {
  email: string
  password: string
}

async function signIn(credentials: Credentials) {
  const supabase = await connect()
  const { error } = await supabase.auth.signInWithPassword(credentials)
  if (error) throw error
}

export function useSignIn() {
  return useMutation({ mutationFn: signIn })
}
