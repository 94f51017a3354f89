import { expect, it } from 'vitest'
import type { CitizenEntry, MusicianEntry } from '../entries/entry'
import type { Submissions } from '../entries/submissions'
import { tabCounts } from './tab-counts'

const musician = (category: string) => ({ row: { category } }) as MusicianEntry
const submissions: Submissions = {
  citizen: [{}, {}] as CitizenEntry[],
  musician: [musician('vocal'), musician('Instrumental'), musician('instrumental')],
  photographer: undefined,
  artist: [],
  withdrawn: [],
  failed: false,
  retry: () => undefined,
}

it('is in brackets, musicians by kind; an award that is not loaded has none', () => {
  expect(tabCounts(submissions)).toEqual({ citizen: '(2)', musician: '(1 V / 2 I)', artist: '(0)' })
})
