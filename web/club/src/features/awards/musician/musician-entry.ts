import * as z from 'zod'
import type { TablesInsert } from '@/lib/database.types'
import { textOf, type Columns } from '@/lib/forms/form-spec'
import {
  ageBetween,
  choice,
  missingMessage,
  limits,
  optional,
  optionalChoice,
  optionalEmail,
  required,
  requiredEmail,
  type Check,
} from '@/lib/forms/rules'

export const missingMusic: Check = {
  title: 'Missing music selection',
  description: 'Please provide at least one piece title and composer.',
}
export const invalidAge: Check = { title: 'Invalid age', description: 'Age must be between 11 and 18.' }
export const missing: Check = {
  title: 'Missing information',
  description: 'Please complete all required fields.',
  covers: 'missing',
}

const fields = z.object({
  entrantName: required('full name'),
  age: ageBetween(11, 18, invalidAge.description),
  schoolName: required('school'),
  performanceType: choice(['instrumental', 'vocal'], missingMessage('performance type')),
  instrument: optional(),
  selection1: optional(limits.piece),
  selection2: optional(limits.piece),
  selection3: optional(limits.piece),
  accompanist: optional(),
  parentEmail: requiredEmail('e-mail of the parent or guardian'),
  parentTel: required('telephone of the parent or guardian', limits.phone),
  nominatorName: optional(),
  nominatorEmail: optionalEmail(),
  allergies: optional(limits.note),
  accessibility: optional(limits.note),
  consentPublicity: optionalChoice(['agree', 'disagree']),
  signature: required('signature'),
})

/** Options of the rules that compare several fields. These rules are checked even if other fields are invalid. */
const always = { when: () => true }

/** Validation rules of an entry. */
export const musicianSchema = fields
  .refine((entry) => selections(entry).length > 0, {
    ...always,
    path: ['selection1'],
    message: missingMusic.description,
  })
  .refine((entry) => entry.performanceType !== 'instrumental' || entry.instrument.trim() !== '', {
    ...always,
    path: ['instrument'],
    message: missingMessage('instrument'),
  })

export type MusicianValues = z.input<typeof musicianSchema>
export type MusicianEntry = z.output<typeof musicianSchema>

export const emptyMusician: MusicianValues = {
  entrantName: '',
  age: '',
  schoolName: '',
  performanceType: '',
  instrument: '',
  selection1: '',
  selection2: '',
  selection3: '',
  accompanist: '',
  parentEmail: '',
  parentTel: '',
  nominatorName: '',
  nominatorEmail: '',
  allergies: '',
  accessibility: '',
  consentPublicity: '',
  signature: '',
}

/** The pieces of music, in order. */
export function selections(entry: Pick<z.output<typeof fields>, 'selection1' | 'selection2' | 'selection3'>): string[] {
  return [entry.selection1, entry.selection2, entry.selection3].map((piece) => piece.trim()).filter(Boolean)
}

/** Allergies and accessibility as one text; null if there are none. */
export function specialRequirements({ allergies, accessibility }: MusicianEntry): string | null {
  const parts = [allergies && `Allergies: ${allergies}`, accessibility && `Accessibility: ${accessibility}`]
  return parts.filter(Boolean).join('\n') || null
}

/** Converts an entry to a row of the table. Columns that have no field in the form are empty. */
export function musicianRecord(entry: MusicianEntry, paths: string[], key: string): TablesInsert<'young_musician_entries'> {
  return {
    entrant_name: entry.entrantName,
    age: entry.age,
    school: entry.schoolName,
    category: entry.performanceType,
    instrument: entry.instrument || null,
    email: entry.parentEmail,
    phone: entry.parentTel,
    teacher_name: entry.nominatorName || null,
    teacher_email: entry.nominatorEmail || null,
    teacher_phone: '',
    parent_guardian_name: '',
    parent_guardian_email: entry.parentEmail,
    parent_guardian_phone: entry.parentTel,
    piece_title: selections(entry).join('; '),
    composer: '',
    piece_duration: '',
    music_selections: selections(entry),
    accompanist_required: entry.accompanist !== '',
    accompanist_name: entry.accompanist || null,
    special_requirements: specialRequirements(entry),
    publicity_consent: entry.consentPublicity,
    signature: entry.signature,
    uploaded_files: paths,
    submission_key: key,
  }
}

/** Converts a row of the table to the answers of the form. */
export function musicianValues(columns: Columns): MusicianValues {
  const pieces: unknown[] = Array.isArray(columns.music_selections) ? columns.music_selections : []
  const { allergies, accessibility } = partsOf(textOf(columns.special_requirements))
  return {
    entrantName: textOf(columns.entrant_name),
    age: textOf(columns.age),
    schoolName: textOf(columns.school),
    performanceType: textOf(columns.category),
    instrument: textOf(columns.instrument),
    selection1: textOf(pieces[0]),
    selection2: textOf(pieces[1]),
    selection3: textOf(pieces[2]),
    accompanist: textOf(columns.accompanist_name),
    parentEmail: textOf(columns.parent_guardian_email),
    parentTel: textOf(columns.parent_guardian_phone),
    nominatorName: textOf(columns.teacher_name),
    nominatorEmail: textOf(columns.teacher_email),
    allergies,
    accessibility,
    consentPublicity: textOf(columns.publicity_consent),
    signature: textOf(columns.signature),
  }
}

/** Splits a text that was made by `specialRequirements` into the two answers. */
function partsOf(text: string): { allergies: string; accessibility: string } {
  const at = text.search(/^Accessibility: /m)
  const [first, second] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at)]
  return {
    allergies: first.replace(/^Allergies: /, '').trimEnd(),
    accessibility: second.replace(/^Accessibility: /, ''),
  }
}
