import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { apiUrl, getConfig, loadConfig } from './config'
import type { Database } from './database.types'

export type Supabase = SupabaseClient<Database>

let client: Supabase | undefined

/**
 * The supabase-js client of the page. The session is stored in localStorage and refreshed automatically. Import this module only in code that is
 * loaded lazily, because the client is a large part of the page's JavaScript.
 * @throws if the configuration has not been read; `connect` reads it first
 */
export function getSupabase(): Supabase {
  if (client) return client
  const config = getConfig()
  if (!config) throw new Error('The server’s configuration has not been loaded yet.')
  client = createClient<Database>(apiUrl(), config.anonKey, { auth: { experimental: { passkey: true } } })
  return client
}

let visitor: Supabase | undefined

/**
 * Returns a client with the rights of a visitor, even if a user is signed in. The forms of the site are always sent with these rights. Otherwise an
 * account without a role, which has fewer rights than a visitor, could not use the forms.
 */
export async function connectAsVisitor(): Promise<Supabase> {
  const { anonKey } = await loadConfig()
  visitor ??= createClient<Database>(apiUrl(), anonKey, { accessToken: () => Promise.resolve(anonKey) })
  return visitor
}

/** Returns the client. If the configuration could not be read when the page was opened, tries to read it again. */
export async function connect(): Promise<Supabase> {
  await loadConfig()
  return getSupabase()
}
