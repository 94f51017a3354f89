import { createServerClient, type CookieMethodsServer } from '@supabase/ssr'
import { cookies } from 'next/headers'

/**
 * Creates a client that keeps the session in cookies. Scripts of the page cannot read the cookies (httpOnly), so only the server uses the session.
 */
export const clientWith = (methods: CookieMethodsServer) =>
  createServerClient(process.env.SUPABASE_URL!, process.env.SUPABASE_KEY!, {
    cookies: methods,
    cookieOptions: { httpOnly: true, sameSite: 'lax' },
  })

/** The client for a server component or a server action. It has the session of the current request. */
export async function supabaseOfRequest() {
  const store = await cookies()
  return clientWith({
    getAll: () => store.getAll(),
    setAll(changes) {
      try {
        changes.forEach(({ name, value, options }) => store.set(name, value, options))
      } catch {
        // Next.js does not allow a server component to set cookies. This is no problem, because proxy.ts has already refreshed the session.
      }
    },
  })
}
