import { photographerPage } from '@/content/award-pages'
import { season } from '@/content/awards'
import { getSettings } from '@/lib/config'
import type { FormSpec } from '@/lib/forms/form-spec'
import { insertEntry } from '@/lib/forms/insert-once'
import { recordMail } from '@/lib/forms/record-mail'
import { sendEmail } from '@/lib/forms/send-email'
import {
  emptyPhotographer,
  photographerRecord,
  photographerSchema,
  photographerValues,
  type PhotographerEntry,
  type PhotographerValues,
} from './photographer-entry'

/** The Young Photographer form: its parts, how it is saved, and its texts. Validation errors are shown beside the fields. */
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
  columns: { of: photographerRecord, toValues: photographerValues },
  save: (supabase, entry, paths, key) =>
    insertEntry(supabase.from('young_photographer_entries').insert(photographerRecord(entry, paths, key)), key),
  send: (supabase, entry, paths, key) =>
    sendEmail(
      supabase,
      recordMail(photographerRecord(entry, paths, key), {
        to: [getSettings().officerEmail],
        title: 'Young Photographer Entry',
        whom: entry.entrantName,
        labels: { age: `Age as at ${season.ageDateOrdinal}` },
      }),
    ),
  messages: {
    saveFailed: { title: 'Submission Error', description: 'There was an error saving your entry. Please try again.' },
    sendFailed: { title: 'Submission Error', description: 'There was an error submitting your entry. Please try again.' },
    success: {
      title: 'Entry Submitted Successfully',
      description: 'Thank you for your entry to the Young Photographer Awards. We will be in touch soon.',
    },
  },
}
