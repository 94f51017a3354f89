import { formatDay } from '@/lib/dates'
import { toHtml } from '@/lib/forms/html'
import type { Entry } from '../entries/entry'
import { groupBySchool, noSchool } from '../entries/group-by-school'
import { awardNames, awards, type Award } from '../shared/award'

/**
 * Maximum size of the entries in one mail. The function accepts 1 MB and 20,000 HTML elements for the whole mail, and the rest of the mail needs some
 * of this.
 */
const budget = { bytes: 850_000, elements: 17_000 }

/** For each award, the columns that are in the mail, with their labels. */
const columns: Record<Award, [column: string, label: string][]> = {
  citizen: [
    ['nomination_type', 'Type'],
    ['nominee_age', 'Age'],
    ['nominator_name', 'Nominated by'],
    ['nominator_email', 'Nominator email'],
    ['parent_guardian_email', 'Parent/guardian email'],
    ['key_achievement', 'Key achievement'],
    ['community_impact', 'Community impact'],
    ['why_deserving', 'Why deserving'],
  ],
  musician: [
    ['age', 'Age'],
    ['category', 'Category'],
    ['instrument', 'Instrument or voice type'],
    ['piece_title', 'Piece'],
    ['composer', 'Composer'],
    ['piece_duration', 'Duration'],
    ['accompanist_name', 'Accompanist'],
    ['teacher_name', 'Teacher'],
    ['parent_guardian_email', 'Parent/guardian email'],
    ['special_requirements', 'Special requirements'],
  ],
  photographer: [
    ['age', 'Age'],
    ['category', 'Category'],
    ['photo_title', 'Title'],
    ['photo_description', 'Description'],
    ['location_taken', 'Location'],
    ['teacher_name', 'Teacher'],
    ['parent_guardian_email', 'Parent/guardian email'],
  ],
  artist: [
    ['age', 'Age'],
    ['category', 'Category'],
    ['artwork_title', 'Title'],
    ['medium', 'Medium'],
    ['artwork_description', 'Description'],
    ['teacher_name', 'Teacher'],
    ['parent_guardian_email', 'Parent/guardian email'],
  ],
}

/** Creates the mail with a list of all submissions, by award and school. @param links URLs of the complete spreadsheets, usually one */
export function exportMail(entries: readonly Entry[], links: readonly string[]): string {
  const parts = [
    `<h1>All submissions (${entries.length})</h1>`,
    ...links.map(
      (link, index) =>
        `<p><a href="${toHtml(link)}">Download everything as a spreadsheet${partOf(index, links.length)}</a></p>`,
    ),
    '<p>The download works for one hour; after that, sign in and choose Email All again.</p>',
  ]
  const room = { ...budget }
  const take = (html: string) => {
    room.bytes -= bytesOf(html)
    room.elements -= html.split('<').length
    return room.bytes >= 0 && room.elements >= 0
  }
  let left = 0
  for (const award of awards) {
    const own = entries.filter((entry) => entry.award === award)
    parts.push(`<h2>${awardNames[award].label} (${own.length})</h2>`)
    for (const { school, entries: group } of groupBySchool(own)) {
      const heading = `<h3>${toHtml(school?.name ?? noSchool)} (${group.length})</h3>`
      const fitting = take(heading) ? group.map(entryHtml).filter(take) : []
      left += group.length - fitting.length
      if (fitting.length > 0) parts.push(heading, ...fitting)
    }
  }
  if (left > 0) parts.push(`<p><strong>${left} more are in the spreadsheet.</strong></p>`)
  return parts.join('\n')
}

function partOf(index: number, count: number): string {
  return count === 1 ? '' : `, part ${index + 1} of ${count}`
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

function entryHtml(entry: Entry): string {
  const values = entry.row as unknown as Record<string, unknown>
  const lines = columns[entry.award].flatMap(([column, label]) => {
    const value = values[column]
    return typeof value === 'string' || typeof value === 'number' ? [`${label}: ${toHtml(String(value))}`] : []
  })
  lines.push(`Files: ${entry.files.length}`, `Submitted: ${formatDay(entry.createdAt)}`)
  return `<p><strong>${toHtml(entry.name)}</strong><br>${lines.join('<br>')}</p>`
}
