import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { Submissions } from '../entries/submissions'
import { seasonsQuery } from './queries/list-seasons'
import { openingView, seasonViews, type SeasonView } from './season-view'

/** The seasons to choose from, and the chosen one. */
export function useSeasonChoice(all: Submissions) {
  const { data: seasons } = useQuery(seasonsQuery)
  const [chosen, setChosen] = useState<number>()
  return useMemo(() => {
    const views = seasonViews(seasons ?? [])
    // A season is identified by its end.
    const shown = views.find(({ until }) => until === chosen) ?? openingView(views, all)
    return { views, shown, show: ({ until }: SeasonView) => setChosen(until) }
  }, [seasons, chosen, all])
}
