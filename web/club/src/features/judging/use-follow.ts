import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followChanges } from '@/lib/follow-changes'
import type { JudgedAward } from './awards'
import { useJudgeClient } from './judge-client'

const awardOf: Partial<Record<string, JudgedAward>> = {
  young_artist_entries: 'artist',
  young_photographer_entries: 'photographer',
}

/** Milliseconds between two polls for changes by other judges. `told`: realtime is connected. `untold`: realtime is not connected. */
const pauses = { told: 120_000, untold: 10_000 }
let isTold = false

/** Milliseconds to wait before the next poll. */
export const followPause = () => (isTold ? pauses.told : pauses.untold)

/** Keeps the portal up to date: shows new entries, and places given by other judges. */
export function useFollow() {
  const supabase = useJudgeClient()
  const queries = useQueryClient()
  useEffect(() => {
    const refresh = (...award: JudgedAward[]) => {
      void queries.invalidateQueries({ queryKey: ['judging', ...award] })
      void queries.invalidateQueries({ queryKey: ['judging-count', ...award] })
    }
    return followChanges(supabase, 'judging', {
      onJoined: (joined) => {
        isTold = joined
        // After a reconnection, read the changes that were missed.
        if (joined) refresh()
      },
      onChange: (table) => {
        const award = awardOf[table]
        // A change that belongs to no award, such as a new password, affects the whole page.
        if (award) refresh(award)
        else refresh()
      },
    })
  }, [supabase, queries])
}
