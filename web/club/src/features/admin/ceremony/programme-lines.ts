import { awardNames } from '../shared/award'
import type { Honour } from './honours'

/** Date, time and place of the ceremony, as shown on the website. */
export interface Ceremony {
  club: string
  date: string
  time: string
  location: string
}

export interface ProgrammeLine {
  kind: 'award' | 'category' | 'name' | 'detail'
  text: string
}

/** Printed instead of a name that may not be published. */
export const withheld = 'announced at the ceremony'

/**
 * The lines of the programme: the awards in order, with categories, places and names. The programme is given to guests, so the name of a winner
 * without a recorded consent is replaced.
 */
export function programmeLines(honours: readonly Honour[]): ProgrammeLine[] {
  const lines: ProgrammeLine[] = []
  let award = ''
  let category = ''
  for (const honour of honours) {
    const isNewAward = honour.award !== award
    if (isNewAward) lines.push({ kind: 'award', text: `${awardNames[honour.award].label} Award` })
    if (isNewAward || honour.category !== category) lines.push({ kind: 'category', text: honour.category })
    ;({ award, category } = honour)
    lines.push({ kind: 'name', text: `${honour.result}: ${honour.isPublic ? honour.name : withheld}` })
    const detail = [honour.title === '' ? '' : `“${honour.title}”`, honour.school].filter(Boolean).join(', ')
    if (honour.isPublic && detail !== '') lines.push({ kind: 'detail', text: detail })
  }
  return lines
}
