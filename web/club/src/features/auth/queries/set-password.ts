import { useMutation } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'

async function setPassword(password: string) {
  const supabase = await connect()
  const { error } = await supabase.auth.updateUser({ password })
  if (error) throw error
}

export function useSetPassword() {
  return useMutation({ mutationFn: setPassword })
}
