import { createContext, useContext } from 'react'
import type { Supabase } from '@/lib/supabase'
import type { Award, Place } from '../awards'
import type { JudgedEntry } from '../entry'
import { sharedMarking } from './shared-marking'

/** A criterion by which entries of an award are scored. */
export interface Criterion {
  id: string
  award: Award
  name: string
  /** The highest possible score; the lowest is 0. */
  maximum: number
}

/** Storage of the marks of entries: either shared by all judges with the password, or separate for one judge. */
export interface Marking {
  /** Gives an entry a place, or removes it. @throws MarkRefused with the reason for the judge */
  place: (supabase: Supabase, entry: JudgedEntry, place: Place | null) => Promise<void>
  /** Records whether the judge knows the entrant. @throws MarkRefused with the reason for the judge */
  note: (supabase: Supabase, entry: JudgedEntry, known: boolean) => Promise<void>
  criteria: readonly Criterion[]
  /** Whether the judge has finished the category of the entry. If so, its marks can no longer change. */
  isFinished: (entry: Pick<JudgedEntry, 'award' | 'category'>) => boolean
}

/** The default is the marking that all judges with the password share. */
export const MarkingContext = createContext<Marking>(sharedMarking)

export function useMarking(): Marking {
  return useContext(MarkingContext)
}
