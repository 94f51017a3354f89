import { createContext, useContext } from 'react'
import type { Entry } from '../entries/entry'
import { countEntries, type Submissions } from '../entries/submissions'
import type { Season } from './queries/list-seasons'

/** A season in the dashboard: everything that arrived between the end of the previous season and its own end. */
export interface SeasonView {
  name: string
  /** Milliseconds since 1970. */
  from: number
  until: number
  isPast: boolean
}

/** The present season, which may have no record yet, then the past ones, the latest first. */
export function seasonViews(seasons: readonly Season[], now = Date.now()): [SeasonView, ...SeasonView[]] {
  const ends = seasons
    .map(({ name, ends_at, deleted_at }) => ({ name, until: Date.parse(ends_at), isDeleted: deleted_at !== null }))
    .sort((a, b) => a.until - b.until)
  const over = ends.filter(({ until }) => until <= now)
  const past = over.map(({ name, until, isDeleted }, index) => ({
    view: { name, from: over[index - 1]?.until ?? -Infinity, until, isPast: true },
    isDeleted,
  }))
  const present = {
    name: ends.find(({ until }) => until > now)?.name ?? 'This season',
    from: over.at(-1)?.until ?? -Infinity,
    until: Infinity,
    isPast: false,
  }
  return [
    present,
    ...past
      .filter(({ isDeleted }) => !isDeleted)
      .map(({ view }) => view)
      .reverse(),
  ]
}

/** Whether something that arrived at this time belongs to the season. */
export function isOf({ from, until }: SeasonView, moment: string): boolean {
  const at = Date.parse(moment)
  return at >= from && at < until
}

/** The entries of one season. */
export function submissionsOf(view: SeasonView, all: Submissions): Submissions {
  const own = <E extends Entry>(entries: E[] | undefined) => entries?.filter(({ createdAt }) => isOf(view, createdAt))
  return {
    ...all,
    citizen: own(all.citizen),
    musician: own(all.musician),
    photographer: own(all.photographer),
    artist: own(all.artist),
    withdrawn: own(all.withdrawn) ?? [],
  }
}

/** The season that the dashboard shows first: the present one, or the last one with entries if the present one has none. */
export function openingView(views: readonly [SeasonView, ...SeasonView[]], all: Submissions): SeasonView {
  return views.find((view) => (countEntries(submissionsOf(view, all)) ?? 0) > 0) ?? views[0]
}

/** The season that the dashboard shows. */
export const ShownSeason = createContext<SeasonView>({ name: 'This season', from: -Infinity, until: Infinity, isPast: false })

export function useShownSeason(): SeasonView {
  return useContext(ShownSeason)
}
