import * as z from 'zod'
import type { TablesInsert } from '@/lib/database.types'
import { getSettings } from '@/lib/config'
import type { FormSpec } from '@/lib/forms/form-spec'
import { insertOnce } from '@/lib/forms/insert-once'
import { recordMail } from '@/lib/forms/record-mail'
import { sendEmail } from '@/lib/forms/send-email'
import { limits, optional, required, type Check } from '@/lib/forms/rules'

export const missing: Check = {
  title: 'Missing Information',
  description: 'Please fill in all required fields.',
  covers: 'missing',
}
export const noFiles: Check = {
  title: 'No Files Uploaded',
  description: 'Please upload at least one file before submitting.',
}

export const filesSchema = z.object({
  entrantName: required('name of the entrant'),
  organisation: required('school or organisation'),
  additionalInfo: optional(limits.description),
})

export type FilesValues = z.input<typeof filesSchema>
export type FilesEntry = z.output<typeof filesSchema>

/** Converts files that belong to an entry to a row of the table. */
export function filesRecord(entry: FilesEntry, paths: string[], key: string): TablesInsert<'extra_files'> {
  return {
    kind: 'additional',
    entrant_name: entry.entrantName,
    organisation: entry.organisation,
    additional_info: entry.additionalInfo || null,
    uploaded_files: paths,
    submission_key: key,
  }
}

/** The additional-files form. */
export const filesForm: FormSpec<FilesValues, FilesEntry> = {
  name: 'awards-uploads',
  title: 'Additional files',
  parts: [{ id: 'files-form', title: 'Files', fields: ['entrantName', 'organisation', 'additionalInfo', 'uploadedFiles'] }],
  empty: { entrantName: '', organisation: '', additionalInfo: '' },
  schema: filesSchema,
  checks: [missing],
  checkFiles: (paths) => (paths.length === 0 ? noFiles : undefined),
  save: async (supabase, entry, paths, key) => {
    await insertOnce(supabase.from('extra_files').insert(filesRecord(entry, paths, key)))
  },
  send: (supabase, entry, paths, key) =>
    sendEmail(
      supabase,
      recordMail(filesRecord(entry, paths, key), {
        to: getSettings().filesEmails,
        title: 'Youth Awards - Additional Files',
        whom: entry.entrantName,
      }),
    ),
  messages: {
    sendFailed: { title: 'Error', description: 'Failed to submit files. Please try again.' },
    success: {
      title: 'Files Submitted Successfully!',
      description: "Your additional files have been sent. We'll review them with your original entry.",
    },
  },
}
