import { CodeForm } from '@/components/CodeForm'
import { connect } from '@/lib/supabase'
import { ModeLink } from './ModeLink'

/** Form that asks for the code of the second factor, after the password. When the code was correct, the page changes by itself. */
export function SecondStep() {
  const signOut = async () => {
    const supabase = await connect()
    await supabase.auth.signOut({ scope: 'local' })
  }
  return (
    <>
      <p>This account asks for a code after the password.</p>
      <CodeForm onDone={() => undefined} />
      <div className="grid justify-items-start">
        <ModeLink onClick={() => void signOut()}>Sign in as somebody else</ModeLink>
      </div>
    </>
  )
}
