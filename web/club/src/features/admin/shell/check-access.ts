import { messageOf } from '@/lib/errors'
import { owesSecondStep } from '@/lib/second-step'
import { connect } from '@/lib/supabase'

export type Verdict =
  | { kind: 'admin'; email: string }
  | { kind: 'signed-out' }
  | { kind: 'failed'; reason: string }
  | { kind: 'denied'; reason: string }

/** Checks whether the user is signed in and, if so, asks the server whether the user is an admin. Never throws. */
export async function checkAccess(): Promise<Verdict> {
  try {
    const supabase = await connect()
    const { data, error } = await supabase.auth.getSession()
    if (error) throw error
    if (!data.session) return { kind: 'signed-out' }
    const { user } = data.session
    const role = await supabase.rpc('has_role', { _user_id: user.id, _role: 'admin' })
    if (role.error) return { kind: 'denied', reason: `Error checking admin privileges: ${role.error.message}` }
    // Result "signed out", because the sign-in page asks for the missing second factor.
    if (!role.data && (await owesSecondStep())) return { kind: 'signed-out' }
    if (!role.data) return { kind: 'denied', reason: "You don't have admin privileges" }
    return { kind: 'admin', email: user.email ?? '' }
  } catch (error) {
    return { kind: 'failed', reason: `Failed to verify authentication: ${messageOf(error)}` }
  }
}
