import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import type { ArtistEntry, CitizenEntry } from '../entries/entry'
import type { Submissions } from '../entries/submissions'
import { honours, type Honour } from './honours'
import { certificates } from './pdf/certificates'
import { MissingLetters } from './pdf/face'
import type { FontFiles } from './pdf/paper'
import { programme } from './pdf/programme'
import { programmeLines, withheld } from './programme-lines'

const submissions = (artist: ArtistEntry[], citizen: CitizenEntry[] = []): Submissions => ({
  citizen,
  musician: [],
  photographer: [],
  artist,
  withdrawn: [],
  failed: false,
  retry: () => undefined,
})
const painter = (name: string, row: Partial<ArtistEntry['row']>) =>
  ({
    award: 'artist',
    id: name,
    name,
    row: { category: 'Senior', junior_ranking: null, senior_ranking: null, ...row },
  }) as ArtistEntry
const nominee = (name: string, row: Partial<CitizenEntry['row']>) =>
  ({ award: 'citizen', id: name, name, row: { nomination_type: 'group', ...row } }) as CitizenEntry

const require = createRequire(import.meta.url)
const font = (file: string): ArrayBuffer => new Uint8Array(readFileSync(require.resolve(`@fontsource/${file}`))).buffer
const files: FontFiles = {
  display: ['besley/files/besley-latin-700-normal.woff', 'besley/files/besley-latin-ext-700-normal.woff'].map(font),
  text: ['400', 'ext-400'].map((part) =>
    font(`atkinson-hyperlegible-next/files/atkinson-hyperlegible-next-latin-${part}-normal.woff`),
  ),
}
const ceremony = { club: 'A Club', date: '13th November', time: '6:30 PM', location: 'The arts centre' }
const pagesOf = async (pdf: Uint8Array) => (await PDFDocument.load(pdf)).getPageCount()

describe('honours', () => {
  it('are the places and the winners, in the order of awards, categories and places', () => {
    const list = honours(
      submissions(
        [
          painter('Second', { senior_ranking: 2 }),
          painter('None', {}),
          painter('First', { senior_ranking: 1, publicity_consent: 'agree' }),
          painter('Young', { category: 'intermediate', junior_ranking: 3 }),
        ],
        [nominee('Helpers', {}), nominee('Others', {})],
      ),
      new Set(['Helpers']),
    )
    expect(list.map(({ name, result, category, isPublic }) => [name, result, category, isPublic])).toEqual([
      ['Helpers', 'Winner', 'Group', false],
      ['Young', '3rd place', 'Intermediate', false],
      ['First', '1st place', 'Senior', true],
      ['Second', '2nd place', 'Senior', false],
    ])
  })
})

const honour = (name: string, isPublic = true): Honour => ({
  id: name,
  award: 'artist',
  category: 'Senior',
  place: 1,
  result: '1st place',
  name,
  title: 'Tide',
  school: 'Shore Academy',
  isPublic,
})

describe('the programme', () => {
  it('contains only names with a recorded consent, and no data that identifies others', () => {
    const lines = programmeLines([honour('Ann'), honour('Bob', false)]).map(({ text }) => text)
    expect(lines).toEqual(['Young Artist Award', 'Senior', '1st place: Ann', '“Tide”, Shore Academy', `1st place: ${withheld}`])
  })

  it('uses as many pages as it needs', async () => {
    expect(await pagesOf((await programme([honour('Ann')], ceremony, files)).pdf)).toBe(1)
    const many = Array.from({ length: 40 }, (_, index) => honour(`Entrant ${index}`))
    expect(await pagesOf((await programme(many, ceremony, files)).pdf)).toBeGreaterThan(1)
  })

  it('leaves out names that the fonts cannot write; a name that is not printed causes no error', async () => {
    const { pdf, left } = await programme([honour('Ann'), honour('Иван'), honour('王', false)], ceremony, files)
    expect(left.map(({ name }) => name)).toEqual(['Иван'])
    expect(await pagesOf(pdf)).toBe(1)
  })
})

describe('certificates', () => {
  it('are one page each, with names in Europe’s Latin alphabets, long or short', async () => {
    const names = ['Zoë Łukaszewska-Ó Ciardha', 'An Extraordinarily Long Name of Very Many Parts '.repeat(4), 'X'.repeat(200)]
    expect(
      await pagesOf(
        (
          await certificates(
            names.map((name) => honour(name)),
            ceremony,
            files,
          )
        ).pdf,
      ),
    ).toBe(3)
  })

  it('leave out a name that the fonts cannot write, with the reason, and contain the others', async () => {
    const list = [honour('Ann'), honour('Иван'), { ...honour('Bob'), title: '🌊' }, honour('Cat')]
    const { pdf, left } = await certificates(list, ceremony, files)
    expect(await pagesOf(pdf)).toBe(2)
    expect(left.map(({ name }) => name)).toEqual(['Иван', 'Bob'])
    expect(left[1]?.reason).toContain('“🌊”')
  })

  it('have names without invisible and control characters, and with composed letters', async () => {
    const names = ['A\u200Bnn\u202E', 'Bob\u0007\nBirch', 'Zoe\u0308 \uFEFFŁ', '\u00ADCat', '\u200B', 'e\u0308'.repeat(100)]
    const { pdf, left } = await certificates(
      names.map((name) => honour(name)),
      ceremony,
      files,
    )
    expect(left).toEqual([])
    expect(await pagesOf(pdf)).toBe(names.length)
  })

  it('are not created without a winner, and the error contains the name that cannot be written', async () => {
    await expect(certificates([honour('Иван')], ceremony, files)).rejects.toThrow(MissingLetters)
    await expect(certificates([honour('Иван')], ceremony, files)).rejects.toThrow('Иван')
  })
})
