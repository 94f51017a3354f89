import { awardNames } from '../shared/award'
import type { Sheet } from '../shared/csv'
import type { Entry } from './entry'

/** Columns that are not in the spreadsheet: keys and internal data. */
const hidden = new Set(['id', 'school_id', 'submission_key', 'schools', 'updated_at', 'withdrawn_at', 'entrant_name', 'school'])

/** Creates a spreadsheet of entries of one award or of all awards, with one row for each entry. The first columns are the same for all awards. */
export function entrySheet(entries: readonly Entry[]): Sheet {
  return entries.map((entry) => {
    const written = 'school' in entry.row ? entry.row.school : null
    const others = Object.entries(entry.row).filter(
      ([column]) => !hidden.has(column) && !(column === 'nominee_name' && entry.award === 'citizen'),
    )
    return {
      award: awardNames[entry.award].label,
      name: entry.name,
      school: entry.school?.name ?? written,
      ...(Object.fromEntries(others) as Sheet[number]),
    }
  })
}
