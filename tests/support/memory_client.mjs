/** Creates a supabase-js client that stores its session in memory only, so that each client behaves like a separate browser. */
import { createClient } from '@supabase/supabase-js'

export function memoryClient(url, key, flowType = 'implicit') {
  const memory = new Map()
  const storage = {
    getItem: (name) => memory.get(name) ?? null,
    setItem: (name, value) => void memory.set(name, value),
    removeItem: (name) => void memory.delete(name),
  }
  return createClient(url, key, { auth: { flowType, storage, autoRefreshToken: false, detectSessionInUrl: false, experimental: { passkey: true } } })
}
