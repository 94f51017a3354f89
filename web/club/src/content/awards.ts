/** The dates that all four awards share. */
export const season = {
  opens: 'August',
  deadline: '31st October',
  ceremony: '13th November',
  ceremonyTime: '6:30 PM',
  /** Ages are counted on this day: as the pages write it, and as the mails do. */
  ageDate: '31 August 2025',
  ageDateOrdinal: '31st August 2025',
} as const

export interface AwardSummary {
  award: 'citizen' | 'musician' | 'photographer' | 'artist'
  name: string
  href: string
  /** One short line for panels and lists. */
  line: string
}

export const awards: AwardSummary[] = [
  {
    award: 'citizen',
    name: 'Young Citizen',
    href: '/young-citizen',
    line: 'Nominate someone, or a group, who does good here.',
  },
  { award: 'musician', name: 'Young Musician', href: '/young-musician', line: 'Sing or play. Ages 11–18.' },
  { award: 'photographer', name: 'Young Photographer', href: '/young-photographer', line: 'One view, well seen. Ages 11–17.' },
  { award: 'artist', name: 'Young Artist', href: '/young-artist', line: 'Happiness in Nature. Ages 5–17.' },
]
