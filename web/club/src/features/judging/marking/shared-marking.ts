import type { Supabase } from '@/lib/supabase'
import type { Place } from '../awards'
import type { JudgedEntry } from '../entry'
import { MarkRefused } from './refused'

const tableOf = ({ award }: JudgedEntry) => (award === 'artist' ? 'young_artist_entries' : 'young_photographer_entries')

async function place(supabase: Supabase, entry: JudgedEntry, given: Place | null) {
  const column = entry.category === 'Intermediate' ? 'junior_ranking' : 'senior_ranking'
  const change = column === 'junior_ranking' ? { junior_ranking: given } : { senior_ranking: given }
  const update = supabase.from(tableOf(entry)).update(change).eq('id', entry.id)
  // The update has a condition: the place must equal the place that was loaded. If another judge has changed it, no row is updated.
  const seen = entry.place === null ? update.is(column, null) : update.eq(column, entry.place)
  const { data, error } = await seen.select('id')
  if (error) throw error
  if (data.length === 0) throw new MarkRefused('Another judge has just placed this entry. What you see now is their choice.')
}

async function note(supabase: Supabase, entry: JudgedEntry, known: boolean) {
  const { data, error } = await supabase
    .from(tableOf(entry))
    .update({ ranking_conflict: known })
    .eq('id', entry.id)
    .eq('ranking_conflict', !known)
    .select('id')
  if (error) throw error
  if (data.length === 0) throw new MarkRefused('Another judge has just changed this note. What you see now is their choice.')
}

/** The marks of the judges with the password. They are columns of the entry, one place for all judges. */
export const sharedMarking = { place, note, criteria: [], isFinished: () => false }
