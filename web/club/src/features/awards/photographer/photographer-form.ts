import { photographerPage } from '@/content/award-pages'
import type { FormSpec } from '@/lib/forms/form-spec'
import { savedOnce } from '@/lib/forms/insert-once'
import {
  emptyPhotographer,
  photographerRecord,
  photographerSchema,
  type PhotographerEntry,
  type PhotographerValues,
} from './photographer-entry'

/** The Young Photographer form: its parts, where it is saved, and what it says. Its refusals are said beside the fields. */
export const photographerForm: FormSpec<PhotographerValues, PhotographerEntry> = {
  name: 'young-photographer',
  title: photographerPage.formTitle,
  parts: [
    { id: 'entrant', title: 'The entrant', fields: ['entrantName', 'age', 'preferredPronoun', 'organisation', 'category'] },
    {
      id: 'picture',
      title: 'The picture',
      fields: ['workTitle', 'cameraModel', 'auxiliaryLensUsed', 'imageEdited', 'themeDescription'],
    },
    { id: 'files', title: 'Files', fields: ['uploadedFiles'] },
    { id: 'nominator', title: 'Nominator', fields: ['nominatorName', 'nominatorEmail'] },
    {
      id: 'guardian',
      title: 'Parent or guardian',
      fields: ['parentGuardianEmail', 'parentGuardianPhone', 'publicityConsent'],
    },
  ],
  empty: emptyPhotographer,
  schema: photographerSchema,
  checks: [],
  save: async (supabase, entry, paths, key) =>
    savedOnce(await supabase.from('young_photographer_entries').insert(photographerRecord(entry, paths, key))),
  messages: {
    saveFailed: { title: 'Submission Error', description: 'There was an error saving your entry. Please try again.' },
    sendFailed: { title: 'Submission Error', description: 'There was an error submitting your entry. Please try again.' },
    success: {
      title: 'Entry Submitted Successfully',
      description: 'Thank you for your entry to the Young Photographer Awards. We will be in touch soon.',
    },
  },
}
