import { useQueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import { connect } from '@/lib/supabase'
import { changeStamp, stampOfRows, type FollowedTable } from './change-stamp'

/** Milliseconds between two looks. */
const pauseMs = 15_000
/** Milliseconds before the first one: what the page opens with comes before it. */
const firstMs = 2000

/** Which lists show which table; the first one holds its rows. */
const followed: [table: FollowedTable, lists: QueryKey[]][] = [
  ['young_citizen_nominations', [['entries', 'citizen'], ['shared-files']]],
  ['young_musician_entries', [['entries', 'musician'], ['shared-files']]],
  ['young_photographer_entries', [['entries', 'photographer'], ['shared-files']]],
  ['young_artist_entries', [['entries', 'artist'], ['shared-files']]],
  ['offline_submissions', [['offline']]],
  ['schools', [['schools'], ['entries'], ['departments'], ['contacts'], ['offline']]],
  ['departments', [['departments'], ['contacts']]],
  ['contacts', [['contacts']]],
  ['judges', [['judges']]],
  ['event_checklist_items', [['checklist']]],
  ['invited_guests', [['guests']]],
  ['seasons', [['seasons'], ['season-totals']]],
]

/**
 * Keeps the dashboard up to date with what others do. For each table one row and a count are asked for every quarter of a minute
 * while the page is seen; only a table that has changed is read anew. The place to follow the server's messages instead.
 */
export function useLive() {
  const queries = useQueryClient()
  useEffect(() => {
    const stamps = new Map<FollowedTable, string>()
    const look = async () => {
      if (document.hidden) return
      const supabase = await connect()
      for (const [table, lists] of followed) {
        const stamp = await changeStamp(supabase, table)
        // Not reachable: the next look will tell.
        if (stamp === undefined) continue
        // At the first look what was read before tells whether it is still so.
        const before = stamps.get(table) ?? stampOfRows(queries.getQueryData(lists[0] ?? []))
        stamps.set(table, stamp)
        if (before === undefined || before === stamp) continue
        for (const queryKey of lists) void queries.invalidateQueries({ queryKey })
      }
    }
    const timer = window.setInterval(() => void look(), pauseMs)
    const wake = () => void look()
    document.addEventListener('visibilitychange', wake)
    const first = window.setTimeout(wake, firstMs)
    return () => {
      window.clearTimeout(first)
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', wake)
    }
  }, [queries])
}
