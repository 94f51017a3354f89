import { tokenBeingSent } from './entry-link'
import { lateLink } from './late-link'

/** Sends the tokens of links with what is saved, in headers, and with nothing else. */
export const fetchAsVisitor: typeof fetch = (input, init) => {
  const address = input instanceof Request ? input.url : String(input)
  if (!address.includes('/rest/v1/') || address.includes('/rest/v1/rpc/')) return fetch(input, init)
  const headers = new Headers(init?.headers)
  const tokens = { 'x-late-link': lateLink(), 'x-entry-link': tokenBeingSent() }
  for (const [name, token] of Object.entries(tokens)) if (token !== undefined) headers.set(name, token)
  return fetch(input, { ...init, headers })
}
