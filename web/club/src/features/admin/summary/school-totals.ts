import type { Entry } from '../entries/entry'
import type { Submissions } from '../entries/submissions'
import type { OfflineCount } from '../offline/queries/list-counts'
import { awards, type Award } from '../shared/award'

export interface Count {
  online: number
  offline: number
}

export interface SchoolTotal {
  id: string
  name: string
  counts: Record<Award, Count>
  /** Number of all entries, online and on paper. */
  total: number
}

function noCounts(): Record<Award, Count> {
  return {
    citizen: { online: 0, offline: 0 },
    musician: { online: 0, offline: 0 },
    photographer: { online: 0, offline: 0 },
    artist: { online: 0, offline: 0 },
  }
}

/** The numbers of entries of each school, online and on paper. The school with the most entries is first; schools without entries are left out. */
export function schoolTotals(submissions: Submissions, offline: readonly OfflineCount[]): SchoolTotal[] {
  const totals = new Map<string, SchoolTotal>()
  const of = (school: { id: string; name: string }) => {
    const known = totals.get(school.id)
    if (known) return known
    const fresh = { id: school.id, name: school.name, counts: noCounts(), total: 0 }
    totals.set(school.id, fresh)
    return fresh
  }
  for (const award of awards) {
    for (const entry of submissions[award] ?? []) {
      if (!entry.school) continue
      const total = of(entry.school)
      total.counts[award].online += 1
      total.total += 1
    }
  }
  for (const { category, count, schools } of offline) {
    if (!schools || count === 0) continue
    const total = of(schools)
    total.counts[category].offline += count
    total.total += count
  }
  return [...totals.values()].sort((a, b) => b.total - a.total || a.name.localeCompare(b.name, 'en-GB'))
}

/** For each award, the number of entries without a school. Awards without such entries are left out. */
export function withoutSchool(submissions: Submissions): { award: Award; count: number }[] {
  return awards
    .map((award) => {
      const entries: readonly Entry[] = submissions[award] ?? []
      return { award, count: entries.filter(({ school }) => !school).length }
    })
    .filter(({ count }) => count > 0)
}

/** The numbers of entries of the four awards, for all schools together. Entries without a school are included. */
export function awardTotals(submissions: Submissions, offline: readonly OfflineCount[]): Record<Award, Count> {
  const counts = noCounts()
  for (const award of awards) counts[award].online = submissions[award]?.length ?? 0
  for (const { category, count } of offline) counts[category].offline += count
  return counts
}
