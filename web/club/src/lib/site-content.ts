/**
 * The content that the club has published: the season's dates and texts, events, speakers, winners, partners, history and so on. The server inserts
 * it into every page. It is parsed without a schema library, because every page needs it before the first paint.
 */
import firstContent from '@/content/first-content.json'

export interface ClubEvent {
  /** Identifier in links: /events#slug. */
  slug: string
  title: string
  /** The date as free text. */
  date: string
  /** The date on the timetable. This part is in large type; `boardSmall` is the line below it. */
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
  /** Whether the event is over. Past events are marked, and they are at the end of the list. */
  isPast: boolean
  /** Subject of the mail with which people reply to the invitation. Null if no reply is requested. */
  rsvpSubject: string | null
  /** Path of the picture in the bucket of the website's pictures. Null if the event has no picture. `pictureAlt` is the alternative text. */
  picture: string | null
  pictureAlt: string | null
}

/** One evening of the season. */
export interface SpeakerRow {
  date: string
  /** The date without the year, for phones. */
  shortDate: string
  /** Speaker or topic. Empty if it has not been announced yet. */
  speaker: string
  notes: string
}

export interface SpeakerMonth {
  month: string
  rows: SpeakerRow[]
}

/** A past winner, for the award pages. */
export interface Winner {
  year: number
  text: string
}

/** The winners and places of an award. Contains only people who have consented to be named. */
export interface ResultGroup {
  award: string
  rows: { result: string; category: string; name: string; title: string }[]
}

/** A picture of an entry that may be shown: its path in the bucket of entries. */
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

/** Whether the forms accept entries, by the database's clock. The dates are texts for readers, or null if the season has no such date. */
export interface EntryState {
  isClosed: boolean
  /** The last day on which entries were accepted. */
  closedOn: string | null
  /** The first day on which entries are accepted. */
  opensOn: string | null
}

/** A chapter of the club's history. */
export interface Chapter {
  /** A year, or a text in its place, such as "Since then". */
  years: string
  title: string
  text: string
}

export interface Figure {
  figure: string
  text: string
}

/** The names of the pictures from which one is chosen for a project. */
export const pictureNames = ['skiff', 'dinghies', 'viewfinder', 'canvas', 'dinner', 'lectern', 'lighthouse', 'ferry'] as const
export type PictureName = (typeof pictureNames)[number]

export interface Corporate {
  benefits: { name: string; text: string }[]
  /** For each project, exactly one of the pictures is true. */
  projects: { name: string; text: string; pictures: Partial<Record<PictureName, boolean | undefined>> }[]
  steps: { text: string }[]
}

export type TextName = keyof typeof firstContent.texts

/** The names of the texts with the season's dates. These texts come from the record of the season, so they are not changed by publishing. */
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
  /** The main event. The list is empty or has one item. */
  featured: ClubEvent[]
  speakers: SpeakerMonth[]
  winners: Record<'citizen' | 'musician' | 'photographer' | 'artist', Winner[]>
  partners: { name: string; text: string }[]
  chapters: Chapter[]
  figures: Record<'about' | 'history', Figure[]>
  corporate: Corporate
  results: ResultGroup[]
  gallery: GalleryPicture[]
  /** For the latest seasons: the date until which personal data is stored, or on which it was deleted. */
  retention: Retention[]
  entries: EntryState
}

let current: SiteContent | undefined

/** The content that the server has inserted into the page. Undefined if the page came from another server. */
function writtenIntoPage(): SiteContent | undefined {
  if (typeof document === 'undefined') return undefined
  try {
    const content = JSON.parse(document.getElementById('content')?.textContent ?? '') as Partial<SiteContent> | null
    return content?.events ? { ...firstContent, ...content } : undefined
  } catch {
    return undefined
  }
}

/** The content to show: the published content, or the initial content if the server has inserted none. */
export function getContent(): SiteContent {
  current ??= writtenIntoPage() ?? firstContent
  return current
}

/** Sets the content. Used for pages rendered at build time, for the preview and in tests. Call it before the code of a page is loaded. */
export function setContent(content: SiteContent | undefined) {
  current = content
}
