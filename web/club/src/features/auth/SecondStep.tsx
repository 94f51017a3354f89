import { CodeForm } from '@/components/CodeForm'
import { connect } from '@/lib/supabase'
import { ModeLink } from './ModeLink'

/** The code that this account asks for after its password; the page notices by itself that it was right. */
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
