import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { apiUrl, getConfig, loadConfig } from './config'
import type { Database } from './database.types'

export type Supabase = SupabaseClient<Database>

let client: Supabase | undefined

/**
 * The page's supabase-js client. Its session is stored in localStorage and refreshed automatically. Import this only in lazily loaded code, because
 * the client is a large part of the page's JavaScript.
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
 * A client with a visitor's rights, even if a user is signed in: the site's forms are always sent with the rights and limits of a visitor. So an
 * account without a role, which may do less than a visitor, can use them too.
 */
export async function connectAsVisitor(): Promise<Supabase> {
  const { anonKey } = await loadConfig()
  visitor ??= createClient<Database>(apiUrl(), anonKey, { accessToken: () => Promise.resolve(anonKey) })
  return visitor
}

/** The client, after another attempt to read the configuration if that failed when the page was opened. */
export async function connect(): Promise<Supabase> {
  await loadConfig()
  return getSupabase()
}
