/**
 * Presence with Phoenix's own class. supabase-js keeps entries that have left if the same message contains a join with the same key (fixed in
 * 2.110.9).
 */
import { Presence } from '@supabase/phoenix'

/** Follows a channel that is not joined yet. `state` contains the entries of each key, exactly as the server sends them. */
export function follow(channel) {
  const presence = new Presence(channel.channelAdapter.getChannel())
  return () => Object.fromEntries(Object.entries(presence.state).map(([key, { metas }]) => [key, metas]))
}
