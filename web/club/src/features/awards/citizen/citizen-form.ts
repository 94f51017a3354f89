import { citizenPage } from '@/content/award-pages'
import { getSettings } from '@/lib/config'
import type { FormSpec } from '@/lib/forms/form-spec'
import { insertEntry } from '@/lib/forms/insert-once'
import { recordMail } from '@/lib/forms/record-mail'
import { sendEmail } from '@/lib/forms/send-email'
import {
  citizenRecord,
  citizenSchema,
  citizenValues,
  emptyCitizen,
  invalidAge,
  isGroup,
  missing,
  nomineeTitle,
  type CitizenEntry,
  type CitizenValues,
} from './citizen-entry'

/** The Young Citizen form: its parts, how it is saved, and its texts. */
export const citizenForm: FormSpec<CitizenValues, CitizenEntry> = {
  name: 'young-citizen',
  title: citizenPage.formTitle,
  parts: [
    {
      id: 'nominee',
      title: 'The nominee',
      titleFor: (values) => nomineeTitle(isGroup(values)),
      fields: ['nominationType', 'nomineeName', 'age', 'nomineeEmail', 'nomineePhone'],
    },
    { id: 'guardian', title: 'Parent or guardian', fields: ['parentEmail', 'parentPhone'] },
    { id: 'nominator', title: 'About you', fields: ['nominatorName', 'nominatorEmail', 'nominatorPhone', 'relationship'] },
    { id: 'reasons', title: 'The reasons', fields: ['achievement', 'communityImpact', 'whyDeserving'] },
    { id: 'evidence', title: 'Supporting evidence', fields: ['uploadedFiles'] },
  ],
  empty: emptyCitizen,
  schema: citizenSchema,
  checks: [missing, invalidAge],
  columns: { of: citizenRecord, toValues: citizenValues },
  save: (supabase, entry, paths, key) =>
    insertEntry(supabase.from('young_citizen_nominations').insert(citizenRecord(entry, paths, key)), key),
  send: (supabase, entry, paths, key) =>
    sendEmail(
      supabase,
      recordMail(citizenRecord(entry, paths, key), {
        to: [getSettings().awardsEmail],
        title: 'Young Citizen Award Nomination',
        whom: entry.nomineeName,
        name: entry.nominatorName,
      }),
    ),
  messages: {
    saveFailed: { title: 'Error', description: 'Failed to save nomination. Please try again.' },
    sendFailed: { title: 'Error', description: 'Failed to submit nomination. Please try again.' },
    success: { title: 'Nomination Submitted!', description: "Thank you for your nomination. We'll review it carefully." },
  },
}
