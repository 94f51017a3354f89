import { useMutation } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'

async function signInWithPasskey() {
  const supabase = await connect()
  const { error } = await supabase.auth.signInWithPasskey()
  if (error) throw error
}

export function useSignInWithPasskey() {
  return useMutation({ mutationFn: signInWithPasskey })
}
