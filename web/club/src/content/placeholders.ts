/**
 * What only a club itself can say: who won, who its partners are, how its history went. All of it is made up and says so; a club
 * replaces this file with what is true of it, with the consent of everybody who is named (of children: of their families).
 */
import type { NamedText } from './club'

/** Past winners, as the award pages show them. */
export interface Winner {
  year: number
  text: string
}

export const citizenWinners: Winner[] = [
  {
    year: 2024,
    text: 'A Sample Youth Group (a made-up name): weekly visits to people who live alone, and a Christmas dinner for sixty.',
  },
  {
    year: 2023,
    text: 'Jamie Sample (a made-up name): part of a family’s long campaign that has raised £300,000 for a children’s charity.',
  },
  { year: 2022, text: 'Robin Example (a made-up name): ran the school’s beach clean for three winters.' },
]

export const musicianWinners: Winner[] = [
  { year: 2023, text: 'Alex Example, vocal, and Sam Sample, instrumental (made-up names).' },
  { year: 2022, text: 'Chris Example, vocal, and Jo Sample, instrumental (made-up names).' },
]

export const photographerWinners: Winner[] = [
  { year: 2023, text: 'Pat Example, senior, and Kit Sample, intermediate (made-up names).' },
  { year: 2022, text: 'Lee Example, senior, and Max Sample, intermediate (made-up names).' },
]

export const artistWinners: Winner[] = [
  { year: 2023, text: 'Ellis Example, senior, Rory Sample, intermediate, and Bo Specimen, junior (made-up names).' },
  { year: 2022, text: 'Dale Example, senior, Wren Sample, intermediate, and Sky Specimen, junior (made-up names).' },
]

/** Two companies, in the words that their page shows. */
export const corporatePartners: NamedText[] = [
  {
    name: 'Sample Chandlers Ltd (made up)',
    text: 'Three of the team share one membership. They rigged the bunting for the awards evening, and came back the next year.',
  },
  {
    name: 'Example Dental Practice (made up)',
    text: 'Joined for the speakers, stayed for the beach clean, and now judges the singing with their eyes shut.',
  },
]

/** Chapters of the club’s history; only the founding year is a fact of this site. */
export const historyChapters = [
  {
    years: '1925',
    title: 'A club is founded',
    text: 'A group of neighbours in Gourock agreed to meet regularly, to be useful to the town, and to enjoy doing it. The club has been at the town’s service ever since.',
  },
  {
    years: '1976',
    title: 'Fifty years ago',
    text: 'The friendship that our 50th anniversary cruise celebrates began here: 49 years of projects, dinners and Thursday evenings lie between then and the first plans for the Queen Anne.',
  },
  {
    years: 'Since then',
    title: 'The youth awards',
    text: 'Young Musician came first, then Young Artist and Young Photographer, and Young Citizen for those who change a place without a stage. More than 500 young people have been supported through them.',
  },
  {
    years: 'Today',
    title: 'Still every Thursday',
    text: 'A guest speaker, a project on the go, and a table with an empty chair for whoever walks in.',
  },
]

export const historyFigures = [
  { figure: '£7,000', text: 'raised in one season for local causes' },
  { figure: '£7,500', text: 'raised in the best one so far' },
  { figure: '49 years', text: 'of fellowship behind the anniversary cruise' },
  { figure: '500+', text: 'young people supported' },
]

export const memorial =
  'We remember the members who are no longer with us. They gave their Thursdays, their skill and their good humour to this town, and much of what we do was theirs first.'
