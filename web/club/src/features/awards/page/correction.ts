import { createContext, useContext, useMemo } from 'react'
import type { Supabase } from '@/lib/supabase'
import { ToldFailure, type Columns, type FormSpec, type FormValues } from '@/lib/forms/form-spec'

/** An entry that its sender has opened with the link to it. */
export interface SentEntry {
  award: 'citizen' | 'musician' | 'photographer' | 'artist'
  reference: string
  createdAt: string
  /** The time at which the entry was read, by the database's clock. If the entry was changed after this time, saving is refused. */
  readAt: string
  /** The last day on which the entry can be corrected, as a text. Null if there is no limit. */
  until: string | null
  columns: Columns
  /** Names of the files that were sent. */
  files: string[]
}

export interface Correction {
  entry: SentEntry
  token: string
  /** Reads the entry again and shows it. */
  reload: () => void
}

/** The entry that the form corrects. Undefined if the form is for a new entry. */
export const CorrectionContext = createContext<Correction | undefined>(undefined)

export function useCorrection(): Correction | undefined {
  return useContext(CorrectionContext)
}

const refusals = {
  changed: {
    title: 'Changed meanwhile',
    description: 'The club has changed this entry since you opened it. Load the page again to see it.',
  },
  ended: { title: 'The link has ended', description: 'Nothing was changed. Write to the club if something is wrong.' },
}

/** @throws ToldFailure if the database refuses the correction */
async function correct(supabase: Supabase, { token, entry }: Correction, answers: object, files: string[]) {
  const { data, error } = await supabase.rpc('correct_entry', {
    token,
    read_at: entry.readAt,
    answers: answers as never,
    files,
  })
  if (error) throw new Error(error.message)
  if (data === 'changed' || data === 'ended') throw new ToldFailure(refusals[data])
}

/** The spec of a form that corrects an entry. The form begins with the answers that were sent; it saves a correction and sends no mail. */
function correcting<Values extends FormValues, Entry>(
  spec: FormSpec<Values, Entry>,
  correction: Correction,
): FormSpec<Values, Entry> {
  const { columns } = spec
  if (!columns) throw new Error(`The form ${spec.name} cannot be corrected`)
  return {
    title: spec.title,
    parts: spec.parts,
    schema: spec.schema,
    checks: spec.checks,
    columns,
    name: `${spec.name}-${correction.entry.reference}`,
    empty: columns.toValues(correction.entry.columns),
    save: (supabase, entry, paths, key) => correct(supabase, correction, columns.of(entry, paths, key), paths),
    messages: {
      saveFailed: { title: 'Error', description: 'The correction could not be saved. Please try again.' },
      sendFailed: { title: 'Error', description: 'The correction could not be saved. Please try again.' },
      success: { title: 'Correction saved', description: 'The club has what you have changed.' },
    },
  }
}

/** Returns the spec for a form: the given one, or that of a correction if the form corrects an entry. */
export function useFormSpec<Values extends FormValues, Entry>(spec: FormSpec<Values, Entry>): FormSpec<Values, Entry> {
  const correction = useCorrection()
  return useMemo(() => (correction ? correcting(spec, correction) : spec), [spec, correction])
}
