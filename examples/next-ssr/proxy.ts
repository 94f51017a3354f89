import { NextResponse, type NextRequest } from 'next/server'
import { clientWith } from './lib/supabase'

/** Runs before each page: refreshes an expired session, and sends visitors to the sign-in page. */
export async function proxy(request: NextRequest) {
  let response = NextResponse.next({ request })
  const supabase = clientWith({
    getAll: () => request.cookies.getAll(),
    setAll(changes, headers) {
      // The page of this request needs the new session as well as the browser.
      changes.forEach(({ name, value }) => request.cookies.set(name, value))
      response = NextResponse.next({ request })
      changes.forEach(({ name, value, options }) => response.cookies.set(name, value, options))
      // No cache may store a response that has a session.
      Object.entries(headers).forEach(([name, value]) => response.headers.set(name, value))
    },
  })
  // Do nothing between the client and this call, which verifies the access token, and refreshes it if it has expired.
  const { data } = await supabase.auth.getClaims()
  if (data || request.nextUrl.pathname === '/sign-in') return response

  const redirect = NextResponse.redirect(new URL('/sign-in', request.url))
  // A session that could not be refreshed is removed from the browser.
  response.cookies.getAll().forEach((cookie) => redirect.cookies.set(cookie))
  return redirect
}

export const config = { matcher: '/((?!_next/|favicon.ico).*)' }
