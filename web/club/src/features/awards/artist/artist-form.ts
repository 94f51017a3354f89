import { artistPage } from '@/content/award-pages'
import { season } from '@/content/awards'
import { getSettings } from '@/lib/config'
import type { FormSpec } from '@/lib/forms/form-spec'
import { insertEntry } from '@/lib/forms/insert-once'
import { recordMail } from '@/lib/forms/record-mail'
import { sendEmail } from '@/lib/forms/send-email'
import { artistRecord, artistSchema, artistValues, emptyArtist, type ArtistEntry, type ArtistValues } from './artist-entry'

/** The Young Artist form: its parts, how it is saved, and its texts. Validation errors are shown beside the fields. */
export const artistForm: FormSpec<ArtistValues, ArtistEntry> = {
  name: 'young-artist',
  title: artistPage.formTitle,
  parts: [
    { id: 'entrant', title: 'The entrant', fields: ['entrantName', 'age', 'pronoun', 'organisation', 'category'] },
    { id: 'nominee', title: 'The nominee', fields: ['nomineeName', 'nomineeEmail'] },
    { id: 'work', title: 'The work', fields: ['workTitle', 'themeDescription'] },
    { id: 'files', title: 'Files', fields: ['uploadedFiles'] },
    {
      id: 'guardian',
      title: 'Parent or guardian',
      fields: ['parentGuardianName', 'parentGuardianEmail', 'publicityConsent'],
    },
  ],
  empty: emptyArtist,
  schema: artistSchema,
  checks: [],
  columns: { of: artistRecord, toValues: artistValues },
  save: (supabase, entry, paths, key) =>
    insertEntry(supabase.from('young_artist_entries').insert(artistRecord(entry, paths, key)), key),
  send: (supabase, entry, paths, key) =>
    sendEmail(
      supabase,
      recordMail(artistRecord(entry, paths, key), {
        to: [getSettings().officerEmail],
        title: 'Young Artist Entry',
        whom: entry.entrantName,
        labels: { age: `Age as at ${season.ageDateOrdinal}` },
      }),
    ),
  messages: {
    saveFailed: { title: 'Error', description: 'There was an error saving your entry. Please try again.' },
    sendFailed: { title: 'Error', description: 'There was an error submitting your entry. Please try again.' },
    success: { title: 'Entry submitted', description: 'Your entry has been submitted successfully!' },
  },
}
