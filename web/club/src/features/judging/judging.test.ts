import { describe, expect, it } from 'vitest'
import { keepDevice, readDevice } from './device'
import { commonParts, type JudgedColumns, type JudgedEntry } from './entry'
import { keepPass, readPass } from './pass'
import { placesGiven, sharedNotice, sharedPlaces } from './places-given'

const entry = (place: JudgedEntry['place']) => ({ place }) as JudgedEntry

describe('places', () => {
  it('lists the given places', () => {
    expect(placesGiven([entry(3), entry(null), entry(1)])).toBe('places given: 1st, 3rd')
    expect(placesGiven([entry(null)])).toBe('no places given yet')
  })

  it('reports a place that two entries have', () => {
    expect([...sharedPlaces([entry(2), entry(2), entry(1)])]).toEqual([2])
    expect(sharedNotice([entry(2), entry(2), entry(1)])).toEqual(['2 entries hold 2nd Place.'])
  })
})

describe('the school of an entry', () => {
  const row: JudgedColumns = {
    id: 'a',
    entrant_name: 'Isla McPhail',
    age: 13,
    school: 'sample academy',
    schools: { name: 'Sample Academy' },
    uploaded_files: [],
    junior_ranking: null,
    senior_ranking: null,
    ranking_conflict: false,
    updated_at: '2026-10-01T10:00:00Z',
  }
  it.each([
    [{}, 'Sample Academy'],
    [{ schools: null }, 'sample academy'],
    [{ schools: null, school: null }, undefined],
    [{ schools: null, school: ' ' }, undefined],
  ])('%o: %s', (columns, school) => {
    expect(commonParts({ ...row, ...columns }, 'Senior').school).toBe(school)
  })
})

describe('the pass', () => {
  it('opens the portal for the browser session until it expires', () => {
    keepPass({ token: 't', expiresAt: 1000 })
    expect(readPass(999_000)).toEqual({ token: 't', expiresAt: 1000 })
    expect(readPass(1_000_000)).toBeUndefined()
    keepPass(undefined)
    expect(readPass(0)).toBeUndefined()
  })

  it('ends, and the device is still known', () => {
    expect(readDevice()).toBeUndefined()
    keepDevice('d')
    keepPass(undefined)
    expect(readDevice()).toBe('d')
  })
})
