import { redirect } from 'next/navigation'
import { supabaseOfRequest } from '@/lib/supabase'
import { ActionForm } from './action-form'
import { addBook, setRead, signOut } from './actions'

/** A server component. The browser receives only HTML, and no key. */
export default async function Books() {
  const supabase = await supabaseOfRequest()
  const { data: session } = await supabase.auth.getClaims()
  if (!session) redirect('/sign-in')
  // The query has no filter for the user, because the policy returns only this user's rows.
  const { data: books, error } = await supabase.from('books').select('id, title, is_read').order('id')
  if (error) throw new Error(error.message)
  return (
    <main>
      <header>
        <h1>Books</h1>
        <span>{session.claims.email}</span>
        <form action={signOut}>
          <button>Sign out</button>
        </form>
      </header>
      <ActionForm action={addBook}>
        <label>
          Title <input name="title" maxLength={200} required />
        </label>
        <button>Add</button>
      </ActionForm>
      <ul>
        {books.map(({ id, title, is_read }) => (
          <li key={id}>
            <span>{title}</span>
            <form action={setRead.bind(null, id, !is_read)}>
              <button>{is_read ? 'Read again' : 'Mark as read'}</button>
            </form>
          </li>
        ))}
      </ul>
    </main>
  )
}
