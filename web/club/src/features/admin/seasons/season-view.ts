import { createContext, useContext } from 'react'
import type { Entry } from '../entries/entry'
import { countEntries, type Submissions } from '../entries/submissions'
import type { Season } from './queries/list-seasons'

/** A season as the dashboard shows it: all data that arrived after the end of the previous season and before the end of this one. */
export interface SeasonView {
  name: string
  /** Milliseconds since 1970. */
  from: number
  until: number
  isPast: boolean
}

/** The current season first, which may not be in the database yet. Then the past seasons, newest first. */
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

/** Whether data that arrived at the given time belongs to the season. */
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

/** The season that the dashboard shows at first: the current one. If the current one has no entries, the last season that has some. */
export function openingView(views: readonly [SeasonView, ...SeasonView[]], all: Submissions): SeasonView {
  return views.find((view) => (countEntries(submissionsOf(view, all)) ?? 0) > 0) ?? views[0]
}

/** The season that the dashboard shows now. */
export const ShownSeason = createContext<SeasonView>({ name: 'This season', from: -Infinity, until: Infinity, isPast: false })

export function useShownSeason(): SeasonView {
  return useContext(ShownSeason)
}
