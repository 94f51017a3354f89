import { getContent, type TextName } from '@/lib/site-content'

const names = [
  'opens',
  'opensWhen',
  'deadline',
  'ceremony',
  'ceremonyTime',
  'ageDate',
  'ageDateOrdinal',
  'theme',
] as const satisfies TextName[]

/**
 * The season's dates, which are the same for all four awards, and the theme for the artists. Each value is read from the published content when it is
 * used.
 */
export const season = Object.defineProperties(
  {},
  Object.fromEntries(names.map((name) => [name, { enumerable: true, get: () => getContent().texts[name] }])),
) as Readonly<Record<(typeof names)[number], string>>

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
  { award: 'artist', name: 'Young Artist', href: '/young-artist', line: `${season.theme}. Ages 5–17.` },
]
