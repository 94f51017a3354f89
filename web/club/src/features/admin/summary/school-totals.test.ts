import { expect, it } from 'vitest'
import type { ArtistEntry } from '../entries/entry'
import type { Submissions } from '../entries/submissions'
import type { OfflineCount } from '../offline/queries/list-counts'
import { awardTotals, schoolTotals } from './school-totals'

const artist = (school?: string) => ({ award: 'artist', school: school && { id: school, name: school } }) as ArtistEntry
const offline = (school: string, count: number) =>
  ({ category: 'musician', count, schools: { id: school, name: school } }) as OfflineCount

const submissions: Submissions = {
  citizen: [],
  musician: [],
  photographer: [],
  artist: [artist('A'), artist('B'), artist('B'), artist()],
  withdrawn: [],
  failed: false,
  retry: () => undefined,
}

it('counts schools online and on paper, most entries first, and leaves out schools without entries', () => {
  const totals = schoolTotals(submissions, [offline('A', 4), offline('C', 0)])
  expect(totals.map(({ name, total, counts }) => [name, total, counts.artist.online, counts.musician.offline])).toEqual([
    ['A', 5, 1, 4],
    ['B', 2, 2, 0],
  ])
})

it('counts entries without a school in the totals of the awards', () => {
  expect(awardTotals(submissions, [offline('A', 4)])).toMatchObject({
    artist: { online: 4, offline: 0 },
    musician: { online: 0, offline: 4 },
  })
})
