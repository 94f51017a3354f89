/**
 * The server side of a SvelteKit application that uses `@supabase/ssr` as Supabase's documentation says
 * (https://supabase.com/docs/guides/auth/server-side/sveltekit): `hooks.server.ts` creates the client, and `resolve` runs the `load` functions and the
 * form actions. Around it are SvelteKit's rules that the client meets: cookies need a path, they cannot be set after the response was made, and
 * responses of `event.fetch` show only the headers that `filterSerializedResponseHeaders` lists.
 */
import { createServerClient } from '@supabase/ssr'
import { parse, serialize } from 'cookie'

/** The two `Handle` functions of hooks.server.ts. `locals` of an event get the client, and later the session and the user. */
const hooks = ({ url, key }) => ({
  async supabase({ event, resolve }) {
    event.locals.supabase = createServerClient(url, key, {
      global: { fetch: event.fetch },
      cookies: {
        getAll: () => event.cookies.getAll(),
        setAll: (changes) => changes.forEach(({ name, value, options }) => event.cookies.set(name, value, { ...options, path: '/' })),
      },
    })
    // getSession only reads the cookies. getUser verifies the token.
    event.locals.safeGetSession = async () => {
      const { data } = await event.locals.supabase.auth.getSession()
      if (!data.session) return { session: null, user: null }
      const { data: verified, error } = await event.locals.supabase.auth.getUser()
      return error ? { session: null, user: null } : { session: data.session, user: verified.user }
    }
    return resolve(event, { filterSerializedResponseHeaders: (name) => name === 'content-range' || name === 'x-supabase-api-version' })
  },

  async authGuard({ event, resolve }) {
    Object.assign(event.locals, await event.locals.safeGetSession())
    const redirect = (location) => new Response(null, { status: 303, headers: { location } })
    if (!event.locals.session && event.url.pathname.startsWith('/private')) return redirect('/auth')
    if (event.locals.session && event.url.pathname === '/auth') return redirect('/private')
    return resolve(event)
  },
})

/** SvelteKit's cookies of one request. `headers()` ends the time in which cookies can be set. */
function cookiesOf(request) {
  const received = parse(request.headers.get('cookie') ?? '')
  const changed = new Map()
  let isDone = false
  return {
    getAll: () => Object.entries({ ...received, ...Object.fromEntries([...changed].map(([name, { value }]) => [name, value])) }).filter(([, value]) => value !== '').map(([name, value]) => ({ name, value })),
    set(name, value, options) {
      if (isDone) throw new Error('Cannot use `cookies.set(...)` after the response has been generated')
      if (!options?.path) throw new Error('You must specify a `path` when setting, deleting or serializing cookies')
      changed.set(name, { value, options: { httpOnly: true, secure: true, sameSite: 'lax', ...options } })
    },
    headers() {
      isDone = true
      return [...changed].map(([name, { value, options }]) => serialize(name, value, options))
    },
  }
}

/** `event.fetch`: a header that the filter does not list cannot be read while a page is rendered. */
const fetchOf = (state) => async (...words) => {
  const response = await fetch(...words)
  const read = response.headers.get.bind(response.headers)
  response.headers.get = (name) => {
    const value = read(name)
    if (value !== null && state.filter && !state.filter(name.toLowerCase(), value)) throw new Error(`Failed to get response header "${name}": it must be included by \`filterSerializedResponseHeaders\``)
    return value
  }
  return response
}

/**
 * @param {{ url: string, key: string }} project
 * @param {Record<string, (event: any) => Promise<any>>} routes `load` functions and actions by path. They return data, or a Response
 * @returns `request(path, init)`, which answers as the application and keeps its cookies as a browser does, and the `cookies` of the browser
 */
export function application(project, routes) {
  const { supabase, authGuard } = hooks(project)
  const cookies = new Map()
  const browserCookies = () => [...cookies].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('; ')

  async function request(path, init = {}) {
    const incoming = new Request(new URL(path, 'http://app.club.example/'), { ...init, headers: { ...init.headers, cookie: browserCookies() } })
    const state = {}
    const event = { request: incoming, url: new URL(incoming.url), locals: {}, cookies: cookiesOf(incoming), fetch: fetchOf(state) }
    const page = async () => {
      const result = await routes[event.url.pathname](event)
      return result instanceof Response ? result : Response.json(result)
    }
    // `sequence(supabase, authGuard)`: the options of `resolve` hold while the page is rendered.
    const response = await supabase({
      event,
      resolve: (_, { filterSerializedResponseHeaders }) => authGuard({ event, resolve: () => ((state.filter = init.method ? undefined : filterSerializedResponseHeaders), page()) }),
    })
    for (const line of event.cookies.headers()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)
      if (value === '' || /; Max-Age=0(;|$)/.test(line)) cookies.delete(name)
      else cookies.set(name, decodeURIComponent(value))
    }
    return response
  }
  return { request, cookies }
}
