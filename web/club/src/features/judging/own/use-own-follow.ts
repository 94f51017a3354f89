import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { followChanges } from '@/lib/follow-changes'
import { useJudgeClient } from '../judge-client'

/**
 * Keeps the portal of a judge with a link up to date: entries, categories, criteria, what the judge does on another device, and the end of the link. If
 * realtime is not connected, the queries poll.
 */
export function useOwnFollow(channel: string | undefined) {
  const supabase = useJudgeClient()
  const queries = useQueryClient()
  useEffect(() => {
    if (channel === undefined) return
    let isChanged = false
    // While this page saves a mark, the lists are not loaded: a list that was loaded before the save would remove the saved mark from the screen.
    const refresh = () => {
      if (!isChanged || queries.isMutating() > 0) return
      isChanged = false
      void queries.invalidateQueries({ queryKey: ['judging-own'] })
      void queries.invalidateQueries({ queryKey: ['judging'] })
    }
    const change = () => {
      isChanged = true
      refresh()
    }
    const endWaiting = queries.getMutationCache().subscribe(refresh)
    const leave = followChanges(supabase, channel, {
      // Loads the changes that were made before the channel was joined, or while the connection was lost.
      onJoined: (joined) => (joined ? change() : undefined),
      onChange: change,
    })
    return () => {
      endWaiting()
      leave()
    }
  }, [supabase, queries, channel])
}
