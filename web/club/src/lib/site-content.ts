/**
 * The club's published content: the season's dates and texts, events, speakers, winners, partners, history and so on. The server inserts it into
 * every page. It is parsed without a schema library, because every page needs it before the first paint.
 */
import firstContent from '@/content/first-content.json'

export interface ClubEvent {
  /** Identifier in links: /events#slug. */
  slug: string
  title: string
  /** The date as free text. */
  date: string
  /** The date on the timetable: in large type, and the line below. */
  boardLarge: string
  boardSmall: string
  time: string
  location: string
  description: string
  /** The beginning of a long description; null if the description is short. */
  folded: string | null
  longDescription: string | null
  /** Annual Event, Special Event or Weekly. */
  type: string
  isWeekly: boolean
  isFeatured: boolean
  /** Whether the event is over. Then it is last in the list and marked. */
  isPast: boolean
  /** Subject of the mail that replies to the invitation; null if no reply is requested. */
  rsvpSubject: string | null
  /** Path of the picture in the bucket of the website's pictures, and its alternative text; null without a picture. */
  picture: string | null
  pictureAlt: string | null
}

/** One evening of the season. */
export interface SpeakerRow {
  date: string
  /** The date without the year, for phones. */
  shortDate: string
  /** Speaker or topic; empty if it is not announced yet. */
  speaker: string
  notes: string
}

export interface SpeakerMonth {
  month: string
  rows: SpeakerRow[]
}

/** Past winners for the award pages. */
export interface Winner {
  year: number
  text: string
}

/** The winners and places of an award who have consented to be named. */
export interface ResultGroup {
  award: string
  rows: { result: string; category: string; name: string; title: string }[]
}

/** A picture of an entry that may be shown; its path in the bucket of entries. */
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

/** Whether the forms accept entries, by the database's clock. Dates are texts for readers; null if the season has none. */
export interface EntryState {
  isClosed: boolean
  /** The last day on which entries were accepted. */
  closedOn: string | null
  /** The first day on which entries are accepted. */
  opensOn: string | null
}

/** A chapter of the club's history. */
export interface Chapter {
  /** A year, or a text such as "Since then". */
  years: string
  title: string
  text: string
}

export interface Figure {
  figure: string
  text: string
}

/** The pictures that can be shown for a project. */
export const pictureNames = ['skiff', 'dinghies', 'viewfinder', 'canvas', 'dinner', 'lectern', 'lighthouse', 'ferry'] as const
export type PictureName = (typeof pictureNames)[number]

export interface Corporate {
  benefits: { name: string; text: string }[]
  /** Exactly one of the pictures is true. */
  projects: { name: string; text: string; pictures: Partial<Record<PictureName, boolean | undefined>> }[]
  steps: { text: string }[]
}

export type TextName = keyof typeof firstContent.texts

/** The texts with the season's dates. They come from the season's record, and publishing does not change them. */
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
  /** The events on the home page. */
  home: ClubEvent[]
  /** The main event: one or none. */
  featured: ClubEvent[]
  speakers: SpeakerMonth[]
  winners: Record<'citizen' | 'musician' | 'photographer' | 'artist', Winner[]>
  partners: { name: string; text: string }[]
  chapters: Chapter[]
  figures: Record<'about' | 'history', Figure[]>
  corporate: Corporate
  results: ResultGroup[]
  gallery: GalleryPicture[]
  /** For the latest seasons: until when personal data is stored, or when it was deleted. */
  retention: Retention[]
  entries: EntryState
}

let current: SiteContent | undefined

/** The content that the server inserted into the page; undefined if another server delivered it. */
function writtenIntoPage(): SiteContent | undefined {
  if (typeof document === 'undefined') return undefined
  try {
    const content = JSON.parse(document.getElementById('content')?.textContent ?? '') as Partial<SiteContent> | null
    return content?.events ? { ...firstContent, ...content } : undefined
  } catch {
    return undefined
  }
}

/** The content to show: the published content, or the initial content if the server inserted none. */
export function getContent(): SiteContent {
  current ??= writtenIntoPage() ?? firstContent
  return current
}

/** Sets the content, for pages rendered at build time, for the preview and for tests. Call it before a page's code is loaded. */
export function setContent(content: SiteContent | undefined) {
  current = content
}
