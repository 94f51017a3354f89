/** One evening of the season. */
export interface SpeakerRow {
  date: string
  /** Who speaks, or about what; empty where nobody is announced. */
  speaker: string
  notes: string
}

export const speakersTitle = 'Speaker Schedule 2025–26'

/** The season's Thursdays. Speakers are named by their subject: a club replaces them with the people who agreed to be announced. */
export const speakers: SpeakerRow[] = [
  { date: '14 August 2025', speaker: '', notes: 'First meeting of the season' },
  { date: '21 August 2025', speaker: 'A lighthouse keeper’s family', notes: '' },
  { date: '28 August 2025', speaker: 'The outdoor pool', notes: 'Bring a towel if you are brave' },
  { date: '4 September 2025', speaker: 'The lifeboat crew', notes: '' },
  { date: '11 September 2025', speaker: '', notes: '' },
  { date: '18 September 2025', speaker: 'Ferries of the Clyde', notes: 'With slides' },
  { date: '2 October 2025', speaker: 'A head teacher', notes: '' },
  { date: '9 October 2025', speaker: 'The food bank', notes: 'Collection on the night' },
  { date: '23 October 2025', speaker: '', notes: 'Club business' },
  { date: '30 October 2025', speaker: 'Beekeeping on a hillside', notes: '' },
  { date: '13 November 2025', speaker: '', notes: 'Youth Awards at the arts centre, 6:30 PM' },
  { date: '20 November 2025', speaker: 'A ship’s engineer', notes: '' },
  { date: '4 December 2025', speaker: 'Carols', notes: 'Guests welcome' },
  { date: '18 December 2025', speaker: '', notes: '' },
  { date: '8 January 2026', speaker: 'The winter garden', notes: '' },
  { date: '22 January 2026', speaker: '', notes: 'Burns supper' },
  { date: '5 February 2026', speaker: 'Mountain rescue', notes: '' },
  { date: '19 February 2026', speaker: 'A local historian', notes: 'Gourock before the railway' },
  { date: '5 March 2026', speaker: 'The hospice', notes: '' },
  { date: '19 March 2026', speaker: 'Last year’s Young Musicians', notes: 'With music' },
  { date: '2 April 2026', speaker: '', notes: '' },
  { date: '16 April 2026', speaker: 'Seabirds of the Firth', notes: '' },
  { date: '14 May 2026', speaker: '', notes: 'Chartered Rotary Dinner, 7:00 PM' },
  { date: '21 May 2026', speaker: '', notes: 'Last meeting of the season' },
]

/** The rows that say something: an evening with neither speaker nor notes is not shown. */
export function shownSpeakers(rows: SpeakerRow[]): SpeakerRow[] {
  return rows.filter(({ speaker, notes }) => speaker !== '' || notes !== '')
}

/** The rows by month, in their order: "August 2025" and its evenings. */
export function byMonth(rows: SpeakerRow[]): { month: string; rows: SpeakerRow[] }[] {
  const groups: { month: string; rows: SpeakerRow[] }[] = []
  for (const row of rows) {
    const month = row.date.replace(/^\d+ /, '')
    const last = groups.at(-1)
    if (last?.month === month) last.rows.push(row)
    else groups.push({ month, rows: [row] })
  }
  return groups
}
