import { RealtimeClient, REALTIME_LISTEN_TYPES, REALTIME_SUBSCRIBE_STATES, type RealtimeChannel } from '@supabase/realtime-js'
import { useCallback, useEffect, useRef, useState } from 'react'
import { post } from '@/lib/api'
import type { As } from '@/lib/as'
import { describeError } from '@/lib/notify'
import { socketUrl } from './socket'
import { isUnpublished, type SystemMessage } from './system-message'

export interface Wanted {
  topic: string
  isPrivate: boolean
  schema: string
  /** The table to whose changes the page subscribes. Empty if there is none. */
  table: string
}

export interface ChannelEvent {
  id: number
  at: string
  kind: string
  payload: unknown
  /** The subscribed table, if no publication sends its changes. */
  unpublished?: { schema: string; table: string } | undefined
}

interface Token {
  token: string
  expires_at: string
  url: string
  apikey: string
}

/** Maximum number of events that are kept. */
const kept = 500
/** Lifetime of the token in seconds. It is short, because users look at a channel only for a short time. */
const seconds = 600

type Note = (kind: string, payload: unknown, unpublished?: ChannelEvent['unpublished']) => void
type State = 'closed' | 'joining' | 'joined'

/** A channel that is joined with a token. The token has the claims of the chosen caller. */
export function useChannel() {
  const [state, setState] = useState<State>('closed')
  const [events, setEvents] = useState<readonly ChannelEvent[]>([])
  const [problem, setProblem] = useState<string>()
  const open = useRef<{ client: RealtimeClient; channel: RealtimeChannel }>(undefined)
  const last = useRef(0)

  const leave = useCallback(() => {
    const { current } = open
    open.current = undefined
    setState('closed')
    if (current) void current.client.disconnect()
  }, [])
  useEffect(() => leave, [leave])

  const join = async (as: As, wanted: Wanted) => {
    setState('joining')
    setProblem(undefined)
    setEvents([])
    const note: Note = (kind, payload, unpublished) => {
      last.current += 1
      const event = { id: last.current, at: new Date().toISOString(), kind, payload, unpublished }
      setEvents((before) => [event, ...before].slice(0, kept))
    }
    try {
      const { token, url, apikey } = await post<Token>('/realtime/token', { as, seconds })
      const client = new RealtimeClient(socketUrl(url, window.location.origin), {
        params: { apikey },
        accessToken: () => Promise.resolve(token),
      })
      await client.setAuth(token)
      const channel = listen(client, wanted, note)
      open.current = { client, channel }
      channel.subscribe((status, error) => {
        if (open.current?.channel !== channel) return
        if (status === REALTIME_SUBSCRIBE_STATES.SUBSCRIBED) setState('joined')
        else if (status !== REALTIME_SUBSCRIBE_STATES.CLOSED) {
          setProblem(error?.message ?? `The channel could not be joined: ${status}.`)
          leave()
        }
      })
    } catch (error) {
      setProblem(describeError(error))
      leave()
    }
  }

  const send = (event: string, payload: unknown) => {
    void open.current?.channel.send({ type: 'broadcast', event, payload })
  }
  return { state, events, problem, join, leave, send }
}

function listen(client: RealtimeClient, wanted: Wanted, note: Note): RealtimeChannel {
  const channel = client.channel(wanted.topic, { config: { private: wanted.isPrivate, broadcast: { self: true } } })
  channel.on(REALTIME_LISTEN_TYPES.BROADCAST, { event: '*' }, ({ event, payload }) => note(`broadcast ${event}`, payload))
  channel.on(REALTIME_LISTEN_TYPES.PRESENCE, { event: 'sync' }, () => note('presence', channel.presenceState()))
  const [schema, table] = [wanted.schema, wanted.table.trim()]
  channel.on(REALTIME_LISTEN_TYPES.SYSTEM, {}, (message: SystemMessage) =>
    note('system', message, isUnpublished(message) && table !== '*' ? { schema, table } : undefined),
  )
  if (table !== '') {
    const filter = { event: '*' as const, schema, ...(table === '*' ? {} : { table }) }
    channel.on(REALTIME_LISTEN_TYPES.POSTGRES_CHANGES, filter as never, (change: { eventType?: string }) =>
      note(`change ${change.eventType ?? ''}`, change),
    )
  }
  return channel
}
