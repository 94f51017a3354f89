import type { Supabase } from '@/lib/supabase'
import type { Place } from '../awards'
import type { JudgedEntry } from '../entry'
import { MarkRefused } from './refused'

/** A change of the judge's own mark. Fields that are missing stay unchanged; null removes a place or a score. */
interface MarkChange {
  place?: Place | null
  known?: boolean
  scores?: Record<string, number | null>
}

/** SQLSTATE of the error for a mark in a category that the judge has finished. */
const finishedCode = 'CLB02'

/** Saves a change of the judge's own mark of an entry. @throws MarkRefused if the judge has finished the category */
export async function saveMark(supabase: Supabase, entry: string, change: MarkChange) {
  const { error } = await supabase.rpc('save_mark', { entry, change: { ...change } })
  if (error?.code === finishedCode)
    throw new MarkRefused('You have finished this category. Open it again to change what you gave.')
  if (error) throw error
}

/** The marks of one judge. Nobody else changes them, so a place is saved without a check of the earlier value. */
export const ownMarking = {
  place: (supabase: Supabase, entry: JudgedEntry, place: Place | null) => saveMark(supabase, entry.id, { place }),
  note: (supabase: Supabase, entry: JudgedEntry, known: boolean) => saveMark(supabase, entry.id, { known }),
}
