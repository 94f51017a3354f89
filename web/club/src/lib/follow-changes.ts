import { REALTIME_SUBSCRIBE_STATES } from '@supabase/supabase-js'
import type { Supabase } from './supabase'

interface Follower {
  /** Called when the realtime connection is established or lost. */
  onJoined: (joined: boolean) => void
  /** Called when a table has changed. Several changes at almost the same time cause one call. */
  onChange: (table: string) => void
}

/** Changes of a table within this number of milliseconds are combined. Thirty entries at once cause one request. */
const gatherMs = 200

/**
 * Subscribes to a private channel whose messages contain the name of a changed table and nothing else. The page then reads the changed rows with the
 * user's own rights.
 * @returns a function that stops this
 */
export function followChanges(supabase: Supabase, topic: string, { onJoined, onChange }: Follower): () => void {
  const gathered = new Map<string, number>()
  const channel = supabase.channel(topic, { config: { private: true } })
  channel.on('broadcast', { event: 'changed' }, ({ payload }: { payload?: unknown }) => {
    const table = tableOf(payload)
    if (table === undefined || gathered.has(table)) return
    gathered.set(
      table,
      window.setTimeout(() => {
        gathered.delete(table)
        onChange(table)
      }, gatherMs),
    )
  })
  let left = false
  // The private channel is joined with the current token.
  void supabase.realtime.setAuth().then(() => {
    if (!left) channel.subscribe((status) => onJoined(status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED))
  })
  return () => {
    left = true
    gathered.forEach((timer) => window.clearTimeout(timer))
    onJoined(false)
    void supabase.removeChannel(channel)
  }
}

function tableOf(payload: unknown): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('table' in payload)) return undefined
  return typeof payload.table === 'string' ? payload.table : undefined
}
