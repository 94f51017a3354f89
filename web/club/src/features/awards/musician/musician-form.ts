import { musicianPage } from '@/content/award-pages'
import { season } from '@/content/awards'
import { getSettings } from '@/lib/config'
import type { FormSpec } from '@/lib/forms/form-spec'
import { insertEntry } from '@/lib/forms/insert-once'
import { recordMail } from '@/lib/forms/record-mail'
import { sendEmail } from '@/lib/forms/send-email'
import {
  emptyMusician,
  invalidAge,
  missing,
  missingMusic,
  musicianRecord,
  musicianSchema,
  musicianValues,
  type MusicianEntry,
  type MusicianValues,
} from './musician-entry'

/** The Young Musician form: its parts, how it is saved, and its texts. */
export const musicianForm: FormSpec<MusicianValues, MusicianEntry> = {
  name: 'young-musician',
  title: musicianPage.formTitle,
  parts: [
    { id: 'entrant', title: 'The entrant', fields: ['entrantName', 'age', 'schoolName', 'performanceType', 'instrument'] },
    { id: 'music', title: 'The music', fields: ['selection1', 'selection2', 'selection3', 'accompanist'] },
    { id: 'guardian', title: 'Parent or guardian', fields: ['parentEmail', 'parentTel'] },
    { id: 'nominator', title: 'Nominator', fields: ['nominatorName', 'nominatorEmail'] },
    { id: 'recordings', title: 'Recordings and papers', fields: ['uploadedFiles'] },
    { id: 'night', title: 'On the night', fields: ['allergies', 'accessibility', 'consentPublicity', 'signature'] },
  ],
  empty: emptyMusician,
  schema: musicianSchema,
  checks: [missingMusic, invalidAge, missing],
  columns: { of: musicianRecord, toValues: musicianValues },
  save: (supabase, entry, paths, key) =>
    insertEntry(supabase.from('young_musician_entries').insert(musicianRecord(entry, paths, key)), key),
  send: (supabase, entry, paths, key) =>
    sendEmail(
      supabase,
      recordMail(musicianRecord(entry, paths, key), {
        to: [getSettings().awardsEmail],
        title: 'Young Musician Entry',
        whom: entry.entrantName,
        labels: { age: `Age as at ${season.ageDateOrdinal}` },
      }),
    ),
  messages: {
    saveFailed: { title: 'Error', description: 'Failed to save entry. Please try again.' },
    sendFailed: { title: 'Error', description: 'Failed to submit entry. Please try again.' },
    unexpected: { title: 'Error', description: 'Something went wrong. Please try again.' },
    success: { title: 'Entry submitted!', description: "Thank you. We'll be in touch with details." },
  },
}
