import { awardNames, type Award } from '../../shared/award'

/** A category of an award, which judges mark as one unit. */
export interface Section {
  award: Award
  category: string
}

/** The section that is shown first. */
export const firstSection: Section = { award: 'artist', category: 'intermediate' }

export const sections: readonly Section[] = [
  { award: 'citizen', category: 'individual' },
  { award: 'citizen', category: 'group' },
  { award: 'musician', category: 'vocal' },
  { award: 'musician', category: 'instrumental' },
  { award: 'photographer', category: 'intermediate' },
  { award: 'photographer', category: 'senior' },
  firstSection,
  { award: 'artist', category: 'senior' },
]

export const sectionKey = ({ award, category }: Section) => `${award}-${category}`

/** Returns a name such as "Artist - Senior", as in the judging portal. */
export function sectionName({ award, category }: Section): string {
  return `${awardNames[award].short} - ${category.charAt(0).toUpperCase()}${category.slice(1)}`
}
