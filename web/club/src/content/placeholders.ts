/**
 * What only a club itself can say and the back-office does not edit: how its history went. All of it is made up and says so; a club
 * replaces this file with what is true of it.
 */
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
