import * as z from 'zod'
import type { TablesInsert } from '@/lib/database.types'
import { textOf, type Columns } from '@/lib/forms/form-spec'
import { atLeast, choice, email, limits, optional } from '@/lib/forms/rules'

const tooYoung = 'Minimum age is 11'
const tooOld = 'Maximum age is 17'

/** Validation rules of an entry. */
export const photographerSchema = z.object({
  entrantName: atLeast(2, 'Entrant name must be at least 2 characters'),
  age: z.string().trim().regex(/^\d+$/, tooYoung).transform(Number).pipe(z.number().min(11, tooYoung).max(17, tooOld)),
  preferredPronoun: choice(['she/her', 'he/him', 'they/them'], 'Please select preferred pronouns'),
  organisation: atLeast(2, 'Please specify school, college, or organisation'),
  nominatorName: atLeast(2, 'Nominator name must be at least 2 characters'),
  nominatorEmail: email(),
  category: choice(['intermediate', 'senior'], 'Please select a category'),
  cameraModel: atLeast(2, 'Please specify camera or device make and model', limits.equipment),
  auxiliaryLensUsed: choice(['yes', 'no'], 'Please specify if auxiliary lens or filters were used'),
  imageEdited: choice(['yes', 'no'], 'Please specify if the image has been edited with software'),
  workTitle: optional(),
  themeDescription: atLeast(10, 'Please provide a description of at least 10 characters', limits.description),
  publicityConsent: choice(['agree', 'disagree'], 'Please indicate your consent for publicity'),
  parentGuardianEmail: email(),
  parentGuardianPhone: atLeast(10, 'Please enter a valid phone number', limits.phone),
})

export type PhotographerValues = z.input<typeof photographerSchema>
export type PhotographerEntry = z.output<typeof photographerSchema>

export const emptyPhotographer: PhotographerValues = {
  entrantName: '',
  age: '',
  preferredPronoun: '',
  organisation: '',
  nominatorName: '',
  nominatorEmail: '',
  category: '',
  cameraModel: '',
  auxiliaryLensUsed: '',
  imageEdited: '',
  workTitle: '',
  themeDescription: '',
  publicityConsent: '',
  parentGuardianEmail: '',
  parentGuardianPhone: '',
}

/** Converts an entry to a row of the table. E-mail and phone are those of the parent or guardian; the school is stored as the organisation. */
export function photographerRecord(
  entry: PhotographerEntry,
  paths: string[],
  key: string,
): TablesInsert<'young_photographer_entries'> {
  return {
    entrant_name: entry.entrantName,
    age: entry.age,
    email: entry.parentGuardianEmail,
    phone: entry.parentGuardianPhone,
    school: entry.organisation,
    teacher_name: entry.nominatorName,
    teacher_email: entry.nominatorEmail,
    teacher_phone: '',
    parent_guardian_name: '',
    parent_guardian_email: entry.parentGuardianEmail,
    parent_guardian_phone: entry.parentGuardianPhone,
    category: entry.category,
    photo_title: entry.workTitle,
    photo_description: entry.themeDescription,
    location_taken: '',
    camera_equipment: entry.cameraModel,
    preferred_pronoun: entry.preferredPronoun,
    auxiliary_lens_used: entry.auxiliaryLensUsed,
    image_edited: entry.imageEdited,
    publicity_consent: entry.publicityConsent,
    uploaded_files: paths,
    submission_key: key,
  }
}

/** Converts a row of the table to the answers of the form. */
export function photographerValues(columns: Columns): PhotographerValues {
  return {
    entrantName: textOf(columns.entrant_name),
    age: textOf(columns.age),
    preferredPronoun: textOf(columns.preferred_pronoun),
    organisation: textOf(columns.school),
    nominatorName: textOf(columns.teacher_name),
    nominatorEmail: textOf(columns.teacher_email),
    category: textOf(columns.category),
    cameraModel: textOf(columns.camera_equipment),
    auxiliaryLensUsed: textOf(columns.auxiliary_lens_used),
    imageEdited: textOf(columns.image_edited),
    workTitle: textOf(columns.photo_title),
    themeDescription: textOf(columns.photo_description),
    publicityConsent: textOf(columns.publicity_consent),
    parentGuardianEmail: textOf(columns.parent_guardian_email),
    parentGuardianPhone: textOf(columns.parent_guardian_phone),
  }
}
