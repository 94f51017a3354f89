import * as z from 'zod'
import type { TablesInsert } from '@/lib/database.types'
import { textOf, type Columns } from '@/lib/forms/form-spec'
import { ageBetween, atLeast, choice, email, limits, optional, optionalChoice } from '@/lib/forms/rules'

/** Validation rules of an entry. */
export const artistSchema = z.object({
  entrantName: atLeast(1, 'Entrant name is required'),
  nomineeName: atLeast(1, 'Nominee name is required'),
  nomineeEmail: email(),
  age: ageBetween(5, 17, 'Age must be between 5 and 17'),
  pronoun: choice(['she/her', 'he/him', 'they/them'], 'Please select preferred pronouns'),
  organisation: atLeast(1, 'Please specify school/college/organisation or private entry'),
  category: choice(['junior', 'intermediate', 'senior'], 'Please select a category'),
  workTitle: optional(),
  themeDescription: atLeast(
    10,
    'Please provide at least a few sentences describing the relationship to the theme',
    limits.description,
  ),
  parentGuardianName: atLeast(1, 'Parent/Guardian name is required'),
  parentGuardianEmail: email(),
  publicityConsent: optionalChoice(['agree', 'disagree']),
})

export type ArtistValues = z.input<typeof artistSchema>
export type ArtistEntry = z.output<typeof artistSchema>

export const emptyArtist: ArtistValues = {
  entrantName: '',
  nomineeName: '',
  nomineeEmail: '',
  age: '',
  pronoun: '',
  organisation: '',
  category: '',
  workTitle: '',
  themeDescription: '',
  parentGuardianName: '',
  parentGuardianEmail: '',
  publicityConsent: '',
}

/** Converts an entry to a row of the table. Columns that have no field in the form are empty. */
export function artistRecord(entry: ArtistEntry, paths: string[], key: string): TablesInsert<'young_artist_entries'> {
  return {
    entrant_name: entry.entrantName,
    age: entry.age,
    nominee_name: entry.nomineeName,
    email: entry.nomineeEmail,
    school: entry.organisation,
    teacher_name: '',
    teacher_email: '',
    teacher_phone: '',
    parent_guardian_name: entry.parentGuardianName,
    parent_guardian_email: entry.parentGuardianEmail,
    parent_guardian_phone: '',
    category: entry.category,
    artwork_title: entry.workTitle,
    medium: '',
    artwork_description: entry.themeDescription,
    inspiration: '',
    preferred_pronoun: entry.pronoun,
    publicity_consent: entry.publicityConsent,
    uploaded_files: paths,
    submission_key: key,
  }
}

/** Converts a row of the table to the answers of the form. */
export function artistValues(columns: Columns): ArtistValues {
  return {
    entrantName: textOf(columns.entrant_name),
    nomineeName: textOf(columns.nominee_name),
    nomineeEmail: textOf(columns.email),
    age: textOf(columns.age),
    pronoun: textOf(columns.preferred_pronoun),
    organisation: textOf(columns.school),
    category: textOf(columns.category),
    workTitle: textOf(columns.artwork_title),
    themeDescription: textOf(columns.artwork_description),
    parentGuardianName: textOf(columns.parent_guardian_name),
    parentGuardianEmail: textOf(columns.parent_guardian_email),
    publicityConsent: textOf(columns.publicity_consent),
  }
}
