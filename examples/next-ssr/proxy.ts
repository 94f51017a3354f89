import { NextResponse, type NextRequest } from 'next/server'
import { clientWith } from './lib/supabase'

/** Runs before each page. Refreshes an expired session, and redirects visitors without a session to the sign-in page. */
export async function proxy(request: NextRequest) {
  let response = NextResponse.next({ request })
  const supabase = clientWith({
    getAll: () => request.cookies.getAll(),
    setAll(changes, headers) {
      // The new session is also added to this request, because the page needs it.
      changes.forEach(({ name, value }) => request.cookies.set(name, value))
      response = NextResponse.next({ request })
      changes.forEach(({ name, value, options }) => response.cookies.set(name, value, options))
      // These headers prevent caches from storing a response that contains a session.
      Object.entries(headers).forEach(([name, value]) => response.headers.set(name, value))
    },
  })
  // Add no code between the creation of the client and this call. The call verifies the access token and, if the token has expired, refreshes the
  // session.
  const { data } = await supabase.auth.getClaims()
  if (data || request.nextUrl.pathname === '/sign-in') return response

  const redirect = NextResponse.redirect(new URL('/sign-in', request.url))
  // If the session could not be refreshed, the browser has to delete its cookies.
  response.cookies.getAll().forEach((cookie) => redirect.cookies.set(cookie))
  return redirect
}

export const config = { matcher: '/((?!_next/|favicon.ico).*)' }
