import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followChanges } from '@/lib/follow-changes'
import type { JudgedAward } from './awards'
import { useJudgeClient } from './judge-client'

const awardOf: Partial<Record<string, JudgedAward>> = {
  young_artist_entries: 'artist',
  young_photographer_entries: 'photographer',
}

/** Milliseconds between two looks at what the other judges do while the server tells of it, and while it does not. */
const pauses = { told: 120_000, untold: 10_000 }
let isTold = false

/** How long to wait until the next look. */
export const followPause = () => (isTold ? pauses.told : pauses.untold)

/** Shows the places that other judges give, and new entries, when they come. */
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
        // What changed while nobody told.
        if (joined) refresh()
      },
      onChange: (table) => {
        const award = awardOf[table]
        // Another password concerns all of it.
        if (award) refresh(award)
        else refresh()
      },
    })
  }, [supabase, queries])
}
