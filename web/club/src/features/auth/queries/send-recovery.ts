import { useMutation } from '@tanstack/react-query'
import { connect } from '@/lib/supabase'

async function sendRecovery(email: string) {
  const supabase = await connect()
  const redirectTo = new URL('/auth', window.location.origin).href
  const { error } = await supabase.auth.resetPasswordForEmail(email, { redirectTo })
  if (error) throw error
}

export function useSendRecovery() {
  return useMutation({ mutationFn: sendRecovery })
}
