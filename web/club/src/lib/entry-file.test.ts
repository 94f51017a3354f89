import { describe, expect, it } from 'vitest'
import { fileTitle, isPicture, savingLink } from './entry-file'
import { pictures } from './upload/rules'

describe('a picture', () => {
  it('is every file that the forms accept as a picture', () => {
    const papers = ['pdf', 'doc', 'docx']
    for (const ending of pictures.endings)
      expect([ending, isPicture(`artist/a/1-x.${ending}`)]).toEqual([ending, !papers.includes(ending)])
    expect(isPicture('artist/a/1-IMG_0042.HEIC')).toBe(true)
  })

  it.each(['a/b.svg', 'a/b.txt', 'a/heic', 'a/b.heic.pdf'])('is not %s', (path) => {
    expect(isPicture(path)).toBe(false)
  })
})

it('a file has the name that its sender gave it', () => {
  expect(fileTitle('artist/x/1760000000000-my-picture.png')).toBe('my-picture.png')
})

it('a link that downloads keeps its token', () => {
  const link = new URL(
    savingLink(
      'https://club.example/storage/v1/object/sign/b/artist/1760000000000-a.heic?token=t.t',
      'artist/1760000000000-a.heic',
    ),
  )
  expect([link.searchParams.get('token'), link.searchParams.get('download')]).toEqual(['t.t', 'a.heic'])
})
