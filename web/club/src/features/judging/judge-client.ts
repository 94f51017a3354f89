import { createClient } from '@supabase/supabase-js'
import { createContext, useContext } from 'react'
import { apiUrl, getConfig } from '@/lib/config'
import type { Database } from '@/lib/database.types'
import type { Supabase } from '@/lib/supabase'

/** Creates a client that sends the judges' token. Another session in this browser is ignored. */
export function createJudgeClient(token: string): Supabase {
  const config = getConfig()
  if (!config) throw new Error('The server’s configuration has not been loaded yet.')
  return createClient<Database>(apiUrl(), config.anonKey, { accessToken: () => Promise.resolve(token) })
}

export const JudgeClient = createContext<Supabase | null>(null)

/** The client with the judges' token. Use it only in components that are rendered after the password was accepted. */
export function useJudgeClient(): Supabase {
  const client = useContext(JudgeClient)
  if (!client) throw new Error('There is no judge here.')
  return client
}
