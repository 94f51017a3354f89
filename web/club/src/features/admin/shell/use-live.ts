import { useQueryClient, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followChanges } from '@/lib/follow-changes'
import { connect } from '@/lib/supabase'
import { changeStamp, stampOfRows, type FollowedTable } from './change-stamp'

/** Milliseconds between two polls while realtime is not connected. The second value is for the time while realtime is connected. */
const pauseMs = 15_000
const toldPauseMs = 120_000
/** Milliseconds before the first poll, so that the page's first requests are not delayed. */
const firstMs = 2000

/** For each table, the query keys of the lists that show its data. The first of these lists contains the table's rows. */
const followed: [table: FollowedTable, lists: QueryKey[]][] = [
  ['young_citizen_nominations', [['entries', 'citizen'], ['shared-files'], ['joint-result', 'citizen']]],
  ['young_musician_entries', [['entries', 'musician'], ['shared-files'], ['joint-result', 'musician']]],
  ['young_photographer_entries', [['entries', 'photographer'], ['shared-files'], ['joint-result', 'photographer']]],
  ['young_artist_entries', [['entries', 'artist'], ['shared-files'], ['joint-result', 'artist']]],
  ['offline_submissions', [['offline']]],
  ['schools', [['schools'], ['entries'], ['departments'], ['contacts'], ['offline']]],
  ['departments', [['departments'], ['contacts']]],
  ['contacts', [['contacts']]],
  ['judges', [['judges'], ['judge-links'], ['joint-result']]],
  ['event_checklist_items', [['checklist']]],
  ['invited_guests', [['guests']]],
  ['seasons', [['seasons'], ['season-totals'], ['site', 'dates']]],
]

const siteTables = ['texts', 'events', 'speakers', 'winners', 'partners', 'chapters', 'figures', 'corporate']

/** Tables that are not polled. Their changes are reported only by realtime. */
const told: [table: string, lists: QueryKey[]][] = [
  ['extra_files', [['extra-files']]],
  ['late_links', [['late-links']]],
  ['entry_links', [['entry-links']]],
  ['judge_links', [['judge-links'], ['joint-result']]],
  ['judge_marks', [['joint-result']]],
  ['judge_finished', [['judge-links'], ['joint-result']]],
  ['judging_criteria', [['judging-criteria'], ['joint-result']]],
  ['entry_mails', [['entry-mails']]],
  ['reminders', [['reminders']]],
  ['mail_templates', [['mail-templates'], ['mail-preview']]],
  ['user_roles', [['admins']]],
  ['invited_admins', [['admins']]],
  // For accounts, the only reported change is that an account was confirmed.
  ['users', [['admins']]],
  ...siteTables.map((name): [string, QueryKey[]] => [
    `site_${name}`,
    [
      ['site', `site_${name}`],
      ['site', 'status'],
    ],
  ]),
  [
    'site_results',
    [
      ['site', 'site_results'],
      ['site', 'status'],
    ],
  ],
  ['site_publications', [['site', 'status']]],
]

const listsOf: ReadonlyMap<string, QueryKey[]> = new Map<string, QueryKey[]>([...followed, ...told])

/**
 * Returns two functions: `refresh` invalidates the lists of a changed table, `end` stops it. Nothing is invalidated while this page saves something:
 * a list that is read before the save is committed would remove the saved change from the screen again.
 */
function refresher(queries: QueryClient): [refresh: (table: string) => void, end: () => void] {
  const changed = new Set<string>()
  const refreshAll = () => {
    if (changed.size === 0 || queries.isMutating() > 0) return
    const lists = [...changed].flatMap((table) => listsOf.get(table) ?? [])
    changed.clear()
    for (const queryKey of lists) void queries.invalidateQueries({ queryKey })
  }
  const refresh = (table: string) => {
    changed.add(table)
    refreshAll()
  }
  return [refresh, queries.getMutationCache().subscribe(refreshAll)]
}

/** Refreshes the lists of a table when realtime reports a change of it. @returns a function that stops this */
function follow(onChange: (table: string) => void, onJoined: (joined: boolean) => void): () => void {
  let stop: (() => void) | undefined
  let left = false
  void connect().then(
    (supabase) => {
      if (!left) stop = followChanges(supabase, 'desk', { onJoined, onChange })
    },
    () => undefined,
  )
  return () => {
    left = true
    stop?.()
  }
}

/**
 * Keeps the dashboard up to date with changes by other users. Realtime reports which table has changed, and the lists of this table are read again.
 * While realtime is not connected, every 15 seconds each table is polled for its newest change and its number of rows.
 */
export function useLive() {
  const queries = useQueryClient()
  useEffect(() => {
    const stamps = new Map<FollowedTable, string>()
    const [refresh, endRefreshing] = refresher(queries)
    let isTold = false
    let looked = 0
    const look = async () => {
      if (document.hidden) return
      looked = Date.now()
      const supabase = await connect()
      for (const [table, lists] of followed) {
        const stamp = await changeStamp(supabase, table)
        // The server is not reachable. The next poll will detect the change.
        if (stamp === undefined) continue
        // The first poll compares with the data that the page has already read.
        const before = stamps.get(table) ?? stampOfRows(queries.getQueryData(lists[0] ?? []))
        stamps.set(table, stamp)
        if (before !== undefined && before !== stamp) refresh(table)
      }
    }
    const timer = window.setInterval(() => {
      if (!isTold || Date.now() - looked >= toldPauseMs) void look()
    }, pauseMs)
    const stop = follow(refresh, (told) => {
      isTold = told
      // After a reconnection, a poll detects the changes that were missed.
      if (told && looked > 0) void look()
    })
    const wake = () => void look()
    document.addEventListener('visibilitychange', wake)
    const first = window.setTimeout(wake, firstMs)
    return () => {
      stop()
      endRefreshing()
      window.clearTimeout(first)
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', wake)
    }
  }, [queries])
}
