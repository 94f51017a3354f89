/** Presence by Phoenix's own class. supabase-js keeps in its state what has left, if the join of the same key is in the same message (fixed in 2.110.9). */
import { Presence } from '@supabase/phoenix'

/** Follows a channel that has not been joined yet: `state` has the entries of each key, and is true to what the server sends. */
export function follow(channel) {
  const presence = new Presence(channel.channelAdapter.getChannel())
  return () => Object.fromEntries(Object.entries(presence.state).map(([key, { metas }]) => [key, metas]))
}
