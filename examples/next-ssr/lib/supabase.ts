import { createServerClient, type CookieMethodsServer } from '@supabase/ssr'
import { cookies } from 'next/headers'

/** A client whose session is in cookies. Scripts of the page cannot read them (httpOnly): only the server uses the session. */
export const clientWith = (methods: CookieMethodsServer) =>
  createServerClient(process.env.SUPABASE_URL!, process.env.SUPABASE_KEY!, {
    cookies: methods,
    cookieOptions: { httpOnly: true, sameSite: 'lax' },
  })

/** The client of a server component or a server action, with the session of the request. */
export async function supabaseOfRequest() {
  const store = await cookies()
  return clientWith({
    getAll: () => store.getAll(),
    setAll(changes) {
      try {
        changes.forEach(({ name, value, options }) => store.set(name, value, options))
      } catch {
        // Next does not let a server component set cookies. It has none to set: proxy.ts has refreshed the session before.
      }
    },
  })
}
