import { season } from './awards'
import type { NamedText } from './club'

/** The programmes that the older youth page presents. */
export const youthProgrammes: NamedText[] = [
  {
    name: 'Young Musician of the Year',
    text: 'A competition for singers and players aged 11 to 18, in front of judges and an audience.',
  },
  {
    name: 'Young Artist Competition',
    text: `Work by artists aged 5 to 17 on a theme that changes every year. This year: ${season.theme}.`,
  },
  {
    name: 'Youth Awards Evening',
    text: `One evening at the arts centre, on ${season.ceremony}, where everyone who entered is celebrated.`,
  },
]
