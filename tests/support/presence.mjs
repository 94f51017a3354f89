/**
 * Presence with Phoenix's own class. If a message contains both a leave and a join with the same key, supabase-js keeps the entries that have left
 * (fixed in 2.110.9).
 */
import { Presence } from '@supabase/phoenix'

/**
 * Follows the presence of a channel that is not joined yet. Returns a function for the state: the entries of each key, exactly as the server sends
 * them.
 */
export function follow(channel) {
  const presence = new Presence(channel.channelAdapter.getChannel())
  return () => Object.fromEntries(Object.entries(presence.state).map(([key, { metas }]) => [key, metas]))
}
