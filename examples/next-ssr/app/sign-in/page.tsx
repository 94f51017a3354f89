import { ActionForm } from '../action-form'
import { signIn } from '../actions'

export default function SignIn() {
  return (
    <main>
      <h1>Books</h1>
      <ActionForm action={signIn}>
        <label>
          Email <input name="email" type="email" autoComplete="username" required />
        </label>
        <label>
          Password <input name="password" type="password" autoComplete="current-password" minLength={8} required />
        </label>
        <button name="button" value="sign-in">
          Sign in
        </button>
        <button name="button" value="sign-up">
          Create an account
        </button>
      </ActionForm>
    </main>
  )
}
