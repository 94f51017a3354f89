import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followChanges } from '@/lib/follow-changes'
import type { JudgedAward } from './awards'
import { useJudgeClient } from './judge-client'

const awardOf: Partial<Record<string, JudgedAward>> = {
  young_artist_entries: 'artist',
  young_photographer_entries: 'photographer',
}

/** Milliseconds between two polls for changes by other judges: while realtime is connected, and while it is not. */
const pauses = { told: 120_000, untold: 10_000 }
let isTold = false

/** Milliseconds until the next poll. */
export const followPause = () => (isTold ? pauses.told : pauses.untold)

/** Shows places given by other judges, and new entries, as they arrive. */
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
        // After a reconnection, read changes that were missed.
        if (joined) refresh()
      },
      onChange: (table) => {
        const award = awardOf[table]
        // A change without an award, such as a new password, concerns everything.
        if (award) refresh(award)
        else refresh()
      },
    })
  }, [supabase, queries])
}
