import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Submissions } from '../entries/submissions'
import { seasonsQuery } from './queries/list-seasons'
import { openingView, seasonViews, type SeasonView } from './season-view'

/** The seasons that the user can choose from, and the chosen season. */
export function useSeasonChoice(all: Submissions) {
  const { data: seasons } = useQuery(seasonsQuery)
  const [chosen, setChosen] = useState<number>()
  return useMemo(() => {
    const views = seasonViews(seasons ?? [])
    // The time at which a season ends is used as its identifier.
    const shown = views.find(({ until }) => until === chosen) ?? openingView(views, all)
    return { views, shown, show: ({ until }: SeasonView) => setChosen(until) }
  }, [seasons, chosen, all])
}
