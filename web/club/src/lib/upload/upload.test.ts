import { describe, expect, it } from 'vitest'
import { awardFolder, slug, uploadPath } from './paths'
import { fromStored, isBusy, isUnsettled, judgeFiles, queue, storedFiles } from './queue'
import { audioAndPapers, formatSize, maxBytes, maxFiles, mediaType, pictures, picturesAndText, refusal } from './rules'

function file(name: string, type: string, size = 10) {
  const made = new File(['x'], name, { type })
  Object.defineProperty(made, 'size', { value: size })
  return made
}

describe('paths', () => {
  it.each([
    ['Ailsa Sample', 'ailsa-sample'],
    ['  --O’Neill & Sons!! ', 'o-neill-sons'],
    ['Séan Ó Néill', 'sean-o-neill'],
    ['Type 2', 'type-2'],
    ['!!!', ''],
  ])('makes %j into %j', (name, expected) => {
    expect(slug(name)).toBe(expected)
  })

  it('stores a file at form type / entrant / time-name', () => {
    expect(uploadPath(awardFolder('musician', 'Ailsa Sample'), 'Take 1.mp3')).toMatch(
      /^musician\/ailsa-sample\/\d{13}-Take 1\.mp3$/,
    )
  })

  it('never makes the same path twice', () => {
    const paths = Array.from({ length: 50 }, () => uploadPath('a', 'image.jpg'))
    expect(new Set(paths).size).toBe(50)
  })

  it('removes characters that the storage refuses, and every path to a parent folder', () => {
    expect(uploadPath('a', '../../Plé #1 [final]/é?.pdf')).toMatch(/^a\/\d{13}-\.\.-\.\.-Ple -1 -final-e\?\.pdf$/)
    expect(uploadPath('a', 'x'.repeat(500)).length).toBeLessThan(200)
  })

  it('has a folder for an entrant without a name', () => {
    expect(awardFolder('artist', '')).toBe('artist/entrant')
  })
})

describe('what is refused', () => {
  it('is a file over 10 MB, even by one byte', () => {
    expect(refusal(file('a.png', 'image/png', maxBytes), pictures)).toBeUndefined()
    expect(refusal(file('a.png', 'image/png', maxBytes + 1), pictures)).toEqual({
      title: 'File too large',
      description: 'a.png exceeds the 10 MB limit.',
    })
  })

  it.each([
    ['a.png', 'image/png', pictures, true],
    ['a.heic', '', pictures, true],
    ['a.docx', '', pictures, true],
    ['a.svg', 'image/svg+xml', pictures, false],
    ['a.txt', 'text/plain', pictures, false],
    ['a.txt', 'text/plain', picturesAndText, true],
    ['a.mp3', 'audio/mpeg', audioAndPapers, true],
    ['a.mid', 'audio/midi', audioAndPapers, true],
    ['a.pdf', 'application/pdf', audioAndPapers, true],
    ['a.png', 'image/png', audioAndPapers, false],
    ['a.exe', 'application/x-msdownload', picturesAndText, false],
    ['a.png', 'text/html', pictures, false],
    ['noending', '', pictures, false],
  ])('depends on the form: %s (%s)', (name, type, accepted, allowed) => {
    expect(refusal(file(name, type), accepted) === undefined).toBe(allowed)
  })

  it('uses the file name if the device does not know the type', () => {
    expect(mediaType(file('A.PDF', ''))).toBe('application/pdf')
    expect(mediaType(file('a.pdf', 'image/png'))).toBe('image/png')
  })
})

describe('the number of files', () => {
  const stored = fromStored({ name: 'a.png', size: 1, path: 'p/a.png' })
  const pngs = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}.png`, 'image/png'))
  const accept = () => undefined
  const refused = (judged: ReturnType<typeof judgeFiles>) =>
    judged.flatMap(({ file: { name }, notice }) => (notice ? [name] : []))

  it('is limited to fifty: the 51st is refused, with the reason', () => {
    const judged = judgeFiles([], pngs(52), accept)
    expect(refused(judged)).toEqual(['50.png', '51.png'])
    expect(judged[50]?.notice).toEqual({ title: 'Too many files', description: 'Not added: there can be at most 50 files.' })
    // All refused files share one message.
    expect(judged[51]?.notice).toBe(judged[50]?.notice)
  })

  it('counts the files of the list, but not those that were refused', () => {
    const list = Array.from({ length: maxFiles - 1 }, () => stored)
    expect(refused(judgeFiles(list, pngs(2), accept))).toEqual(['1.png'])
    const withRefused = [...list, { ...stored, state: 'refused' as const }]
    expect(refused(judgeFiles(withRefused, pngs(1), accept))).toEqual([])
  })

  it('gives the place of a refused file to the next one', () => {
    const list = Array.from({ length: maxFiles - 1 }, () => stored)
    const judged = judgeFiles(list, [file('a.svg', 'image/svg+xml'), ...pngs(1)], (each) => refusal(each, pictures))
    expect(judged.map(({ notice }) => notice?.title)).toEqual(['Invalid file type', undefined])
  })

  it('includes files that were sent before', () => {
    const judged = judgeFiles([], pngs(3), accept, maxFiles - 2)
    expect(refused(judged)).toEqual(['2.png'])
    expect(judged[2]?.notice?.description).toBe('Not added: there can be at most 50 files, and 48 of them were sent before.')
  })
})

it.each([
  [0, '0 Bytes'],
  [512, '512.00 Bytes'],
  [1024, '1.00 KB'],
  [4_414_000, '4.21 MB'],
  [3 * 1024 ** 3, '3.00 GB'],
])('writes %d bytes as %s', (bytes, text) => {
  expect(formatSize(bytes)).toBe(text)
})

describe('the list of files', () => {
  const stored = fromStored({ name: 'a.png', size: 1, path: 'p/a.png' })

  it('adds, changes and removes', () => {
    const added = queue([], { type: 'added', items: [{ ...stored, id: '1', state: 'uploading' }] })
    expect(isBusy(added)).toBe(true)
    expect(storedFiles(added)).toEqual([])
    const arrived = queue(added, { type: 'changed', id: '1', change: { state: 'uploaded' } })
    expect(storedFiles(arrived)).toEqual([{ name: 'a.png', size: 1, path: 'p/a.png' }])
    expect(queue(arrived, { type: 'removed', id: '1' })).toEqual([])
  })

  it('is unfinished while a file is being uploaded or has failed, but not because of a refused file', () => {
    expect(isUnsettled([{ ...stored, state: 'paused' }])).toBe(true)
    expect(isUnsettled([{ ...stored, state: 'failed' }])).toBe(true)
    expect(isUnsettled([{ ...stored, state: 'refused' }, stored])).toBe(false)
  })
})
