import type { ComponentType } from 'react'
import { formatDay } from '@/lib/dates'
import type { Database } from '@/lib/database.types'
import { pictureNames } from '@/lib/site-content'
import type { FieldInput } from '../shared/fields/field-rules'
import type { RecordField } from '../shared/fields/record-field'
import { limits } from '../shared/rules'
import type { Stamped } from '../shared/stale'
import { EventDate } from './EventDate'
import { EventPicture } from './EventPicture'

/** A row of one of the website's tables. */
export type SiteRow = Stamped & Record<string, unknown>

export type SitePart = 'events' | 'speakers' | 'winners' | 'partners' | 'chapters' | 'figures' | 'corporate'

/** The properties that differ between the website's lists. */
export interface SiteTable {
  table: Extract<keyof Database['public']['Tables'], `site_${SitePart}`>
  title: string
  /** The word for one row of the list, such as "event". */
  record: string
  fields: readonly RecordField[]
  /** Special controls by column. Null means that the control of another column also edits this column. */
  controls?: Partial<Record<string, ComponentType | null>>
  /** A rule about two fields together. */
  rule?: { field: string; message: string; holds: (input: FieldInput) => boolean }
  /** The columns by which the list is sorted. */
  order: readonly { column: string; ascending: boolean }[]
  /** Name of a row in its list. */
  name: (row: SiteRow) => string
  /** Additional values of a row in the list. */
  facts: readonly { name: string; value: (row: SiteRow) => string }[]
}

const text = (name: string, label: string, max: number = limits.name, hint?: string): RecordField => ({
  name,
  label,
  kind: 'text',
  max,
  ...(hint === undefined ? {} : { hint }),
})
const required = (field: RecordField): RecordField => ({ ...field, isRequired: true })
const position: RecordField = {
  name: 'position',
  label: 'Place in the list',
  hint: 'Smaller numbers come first.',
  kind: 'number',
  min: 0,
  max: 9999,
  isRequired: true,
}
const byPosition = [{ column: 'position', ascending: true }] as const
const shown = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

/** A text with the last day of an event, and whether that day has passed in the club's time zone. */
function untilDay(lastDay: string): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/London' }).format(new Date())
  return lastDay < today ? `${formatDay(lastDay)} (past)` : formatDay(lastDay)
}

export const siteTables: Record<SitePart, SiteTable> = {
  events: {
    table: 'site_events',
    title: 'Events',
    record: 'Event',
    order: [
      { column: 'position', ascending: true },
      { column: 'title', ascending: true },
    ],
    fields: [
      required(text('title', 'Title')),
      required(text('slug', 'Name in links', 80, 'Small letters, digits and hyphens, such as summer-fair.')),
      { name: 'last_day', label: 'Last day', kind: 'date', max: 10 },
      required(text('date_text', 'Date in words', 100)),
      required(text('board_large', 'On the board: large', 8)),
      required(text('board_small', 'On the board: small', 30)),
      required(text('time_text', 'Time', 100)),
      required(text('location', 'Location')),
      required({ name: 'description', label: 'Description', kind: 'long', max: 1000 }),
      { name: 'long_description', label: 'Long description', kind: 'long', max: 5000 },
      text('picture', 'Picture', 500),
      text('picture_alt', 'What the picture shows', 300),
      required({ name: 'kind', label: 'Kind', kind: 'choice', max: 20, options: ['Annual Event', 'Special Event', 'Weekly'] }),
      {
        name: 'is_ceremony',
        label: 'It is the season’s ceremony',
        hint: 'Then its date, time and last day are those of the season (Summary, Seasons), once a season is set up.',
        kind: 'yes-no',
        max: 3,
      },
      { name: 'is_on_home', label: 'On the home page', kind: 'yes-no', max: 3 },
      { name: 'is_featured', label: 'At the head of the events page', kind: 'yes-no', max: 3 },
      text('rsvp_subject', 'Subject of answers by e-mail', limits.name, 'Empty where no answer is asked for.'),
      position,
    ],
    controls: {
      last_day: EventDate,
      date_text: null,
      board_large: null,
      board_small: null,
      picture: EventPicture,
      picture_alt: null,
    },
    rule: {
      field: 'picture_alt',
      message: 'Please say what the picture shows',
      holds: ({ picture, picture_alt: words }) => picture === null || words !== null,
    },
    name: (row) => shown(row.title),
    facts: [
      { name: 'Date', value: (row) => shown(row.date_text) },
      { name: 'Until', value: (row) => (typeof row.last_day === 'string' ? untilDay(row.last_day) : 'always') },
      { name: 'Home page', value: (row) => (row.is_on_home === true ? 'yes' : 'no') },
      { name: 'Picture', value: (row) => (typeof row.picture === 'string' ? 'yes' : 'no') },
    ],
  },
  speakers: {
    table: 'site_speakers',
    title: 'Speakers',
    record: 'Evening',
    order: [{ column: 'held_on', ascending: true }],
    fields: [
      required({ name: 'held_on', label: 'Date', kind: 'date', max: 10 }),
      text('speaker', 'Speaker', limits.name, 'Empty where nobody is announced.'),
      text('notes', 'Notes'),
    ],
    name: (row) => formatDay(shown(row.held_on)),
    facts: [
      { name: 'Speaker', value: (row) => shown(row.speaker) },
      { name: 'Notes', value: (row) => shown(row.notes) },
    ],
  },
  winners: {
    table: 'site_winners',
    title: 'Winners',
    record: 'Winner',
    order: [
      { column: 'award', ascending: true },
      { column: 'year', ascending: false },
    ],
    fields: [
      required({
        name: 'award',
        label: 'Award',
        kind: 'choice',
        max: 20,
        options: ['citizen', 'musician', 'photographer', 'artist'],
      }),
      { name: 'year', label: 'Year', kind: 'number', min: 1925, max: 2200, isRequired: true },
      required({
        name: 'text',
        label: 'Who won, and what for',
        hint: 'Only with the consent of everybody who is named: of children, of their families.',
        kind: 'long',
        max: 500,
      }),
    ],
    name: (row) => `${shown(row.award)} ${shown(row.year)}`,
    facts: [{ name: 'Text', value: (row) => shown(row.text) }],
  },
  partners: {
    table: 'site_partners',
    title: 'Partners',
    record: 'Partner',
    order: [
      { column: 'position', ascending: true },
      { column: 'name', ascending: true },
    ],
    fields: [required(text('name', 'Name')), required({ name: 'text', label: 'Words', kind: 'long', max: 1000 }), position],
    name: (row) => shown(row.name),
    facts: [{ name: 'Words', value: (row) => shown(row.text) }],
  },
  chapters: {
    table: 'site_chapters',
    title: 'History',
    record: 'Chapter',
    order: byPosition,
    fields: [
      required(text('years', 'Year', 30, 'Or a few words, such as Since then.')),
      required(text('title', 'Title')),
      required({ name: 'text', label: 'Text', kind: 'long', max: 1000 }),
      position,
    ],
    name: (row) => `${shown(row.years)}: ${shown(row.title)}`,
    facts: [{ name: 'Text', value: (row) => shown(row.text) }],
  },
  figures: {
    table: 'site_figures',
    title: 'Figures',
    record: 'Figure',
    order: [{ column: 'page', ascending: true }, ...byPosition],
    fields: [
      required({ name: 'page', label: 'Page', kind: 'choice', max: 20, options: ['about', 'history'] }),
      required(text('figure', 'Figure', 20, 'As it is shown, such as £7,000.')),
      required(text('text', 'What it counts', 200)),
      position,
    ],
    name: (row) => shown(row.figure),
    facts: [
      { name: 'What it counts', value: (row) => shown(row.text) },
      { name: 'Page', value: (row) => shown(row.page) },
    ],
  },
  corporate: {
    table: 'site_corporate',
    title: 'Corporate',
    record: 'Item',
    order: [{ column: 'part', ascending: true }, ...byPosition],
    fields: [
      required({ name: 'part', label: 'Part of the page', kind: 'choice', max: 20, options: ['benefit', 'project', 'step'] }),
      text('name', 'Name', limits.name, 'Steps have none.'),
      required({ name: 'text', label: 'Words', kind: 'long', max: 1000 }),
      required({
        name: 'picture',
        label: 'Picture',
        hint: 'Only projects show one.',
        kind: 'choice',
        max: 20,
        options: pictureNames,
      }),
      position,
    ],
    name: (row) => shown(row.name) || shown(row.text),
    facts: [
      { name: 'Part of the page', value: (row) => shown(row.part) },
      { name: 'Words', value: (row) => shown(row.text) },
    ],
  },
}
