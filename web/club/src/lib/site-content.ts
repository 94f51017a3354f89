/**
 * What the club has published: the season's dates and texts, events, speakers, winners, partners, history and so on. The server writes it into every
 * page; the pages show it from there at once. No schema library here: this is read before the first paint, on every page.
 */
import firstContent from '@/content/first-content.json'

export interface ClubEvent {
  /** Name in links: /events#slug. */
  slug: string
  title: string
  /** Free text, as it is read out. */
  date: string
  /** The date as the sailing board shows it: large, and the line beneath. */
  boardLarge: string
  boardSmall: string
  time: string
  location: string
  description: string
  /** The description cut to its first characters; null where it is short. */
  folded: string | null
  longDescription: string | null
  /** Annual Event, Special Event or Weekly. */
  type: string
  isWeekly: boolean
  isFeatured: boolean
  /** It is over: it stands last, and says so. */
  isPast: boolean
  /** Subject of the mail that answers the invitation; null where none is asked for. */
  rsvpSubject: string | null
  /** Its place in the bucket of the website's pictures, and words for whoever does not see it; null without a picture. */
  picture: string | null
  pictureAlt: string | null
}

/** One evening of the season. */
export interface SpeakerRow {
  date: string
  /** The date without its year, for phones. */
  shortDate: string
  /** Who speaks, or about what; empty where nobody is announced. */
  speaker: string
  notes: string
}

export interface SpeakerMonth {
  month: string
  rows: SpeakerRow[]
}

/** Past winners, as the award pages show them. */
export interface Winner {
  year: number
  text: string
}

/** An award's winners and places who have agreed to be named. */
export interface ResultGroup {
  award: string
  rows: { result: string; category: string; name: string; title: string }[]
}

/** A picture of an entry whose family has agreed to show it; its place in the bucket of entries. */
export interface GalleryPicture {
  picture: string
  name: string
  title: string
  alt: string
}

export interface Retention {
  season: string
  event: string
  due: string
  deleted: string | null
}

/** Whether the forms take entries, as the database's clock says. Days are as they are read out; null where no season sets them. */
export interface EntryState {
  isClosed: boolean
  /** The last day on which entries were taken. */
  closedOn: string | null
  /** The first day on which they are taken. */
  opensOn: string | null
}

/** A chapter of the club's history. */
export interface Chapter {
  /** A year, or words such as "Since then". */
  years: string
  title: string
  text: string
}

export interface Figure {
  figure: string
  text: string
}

/** What can be seen beside a project. */
export const pictureNames = ['skiff', 'dinghies', 'viewfinder', 'canvas', 'dinner', 'lectern', 'lighthouse', 'ferry'] as const
export type PictureName = (typeof pictureNames)[number]

export interface Corporate {
  benefits: { name: string; text: string }[]
  /** Of the pictures one is true. */
  projects: { name: string; text: string; pictures: Partial<Record<PictureName, boolean | undefined>> }[]
  steps: { text: string }[]
}

export type TextName = keyof typeof firstContent.texts

/** The texts that are the dates of the season: the record of the season says them, and publishing changes none. */
export const seasonTexts = [
  'opens',
  'opensWhen',
  'deadline',
  'ceremony',
  'ceremonyTime',
  'ageDate',
  'ageDateOrdinal',
] as const satisfies TextName[]

export interface SiteContent {
  texts: Record<TextName, string>
  events: ClubEvent[]
  /** Those that the home page announces. */
  home: ClubEvent[]
  /** The event at the head of its page, or none. */
  featured: ClubEvent[]
  speakers: SpeakerMonth[]
  winners: Record<'citizen' | 'musician' | 'photographer' | 'artist', Winner[]>
  partners: { name: string; text: string }[]
  chapters: Chapter[]
  figures: Record<'about' | 'history', Figure[]>
  corporate: Corporate
  results: ResultGroup[]
  gallery: GalleryPicture[]
  /** Until when the personal data of the latest seasons is kept, or when it was deleted. */
  retention: Retention[]
  entries: EntryState
}

let current: SiteContent | undefined

/** What the server wrote into the page; undefined if another server, which writes none, sent it. */
function writtenIntoPage(): SiteContent | undefined {
  if (typeof document === 'undefined') return undefined
  try {
    const content = JSON.parse(document.getElementById('content')?.textContent ?? '') as Partial<SiteContent> | null
    return content?.events ? { ...firstContent, ...content } : undefined
  } catch {
    return undefined
  }
}

/** What is shown: what the club has published, or the first content where the server says nothing. */
export function getContent(): SiteContent {
  current ??= writtenIntoPage() ?? firstContent
  return current
}

/** Shows another content: for pages drawn at build time, for the preview, and for tests. Call it before a page's code is fetched. */
export function setContent(content: SiteContent | undefined) {
  current = content
}
