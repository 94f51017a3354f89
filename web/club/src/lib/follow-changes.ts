import { REALTIME_SUBSCRIBE_STATES } from '@supabase/supabase-js'
import type { Supabase } from './supabase'

interface Follower {
  /** Whether the server tells of changes now; it may stop and begin again. */
  onJoined: (joined: boolean) => void
  /** A table has changed; several changes in one moment are told once. */
  onChange: (table: string) => void
}

/** Milliseconds for which changes of one table are gathered: thirty entries at once are one look. */
const gatherMs = 200

/**
 * Hears on a private channel of the database which tables change. A message holds the table's name and nothing else: what changed is
 * read as whoever is signed in may read it.
 *
 * @returns a function that stops it
 */
export function followChanges(supabase: Supabase, topic: 'desk' | 'judging', { onJoined, onChange }: Follower): () => void {
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
  // A private channel is joined with the token of now.
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
