import { expect, it } from 'vitest'
import { belongsTo, fromRecordings } from './extra-files'

const recording = (name: string) => ({ name, created_at: '2025-10-01T10:00:00Z' })

it('groups recordings by folder', () => {
  const found = fromRecordings([recording('rory-oneil/2-b.mp3'), recording('ann/1-a.mp3'), recording('rory-oneil/1-a.mp3')])
  expect(found.map(({ name, files }) => [name, files])).toEqual([
    ['rory oneil', ['rory-oneil/2-b.mp3', 'rory-oneil/1-a.mp3']],
    ['ann', ['ann/1-a.mp3']],
  ])
})

it('finds the nominee by name, regardless of the spelling', () => {
  const [files] = fromRecordings([recording('eilidh-o-neil/1-a.mp3')])
  if (!files) throw new Error('no files')
  expect(belongsTo(files, { award: 'musician', name: 'Éilidh O’Neil ' })).toBe(true)
  expect(belongsTo(files, { award: 'musician', name: 'Eilidh O’Neill' })).toBe(false)
  // An entry of the artist award has no recordings, even if the name is the same.
  expect(belongsTo(files, { award: 'artist', name: 'Eilidh O’Neil' })).toBe(false)
  expect(belongsTo({ ...files, kind: 'additional' }, { award: 'artist', name: 'eilidh o-neil' })).toBe(true)
})
