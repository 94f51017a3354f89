import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { apiUrl, getConfig, loadConfig } from './config'
import type { Database } from './database.types'

export type Supabase = SupabaseClient<Database>

let client: Supabase | undefined

/**
 * The one supabase-js client of the page: signed-in session kept in local storage, refreshed by itself.
 * Import this only from lazily loaded code: the client is a large share of the page's JavaScript.
 *
 * @throws when the run-time configuration has not been loaded; `connect` loads it first
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
 * A client that speaks as a visitor, whoever is signed in: what the site's forms send is a visitor's, with the rights and the limits of
 * one. An account without the role, which may do less than a visitor, can use them, too.
 */
export async function connectAsVisitor(): Promise<Supabase> {
  const { anonKey } = await loadConfig()
  visitor ??= createClient<Database>(apiUrl(), anonKey, { accessToken: () => Promise.resolve(anonKey) })
  return visitor
}

/** The client, after loading the configuration if that failed when the page opened. */
export async function connect(): Promise<Supabase> {
  await loadConfig()
  return getSupabase()
}
