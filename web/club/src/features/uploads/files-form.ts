import * as z from 'zod'
import { getSettings } from '@/lib/config'
import type { FormSpec } from '@/lib/forms/form-spec'
import { summaryHtml } from '@/lib/forms/html'
import { limits, optional, required, type Check } from '@/lib/forms/rules'
import { sendEmail } from '@/lib/forms/send-email'

export const missing: Check = { title: 'Missing Information', description: 'Please fill in all required fields.' }
export const noFiles: Check = {
  title: 'No Files Uploaded',
  description: 'Please upload at least one file before submitting.',
}

export const filesSchema = z.object({
  entrantName: required(missing, 'name of the entrant'),
  organisation: required(missing, 'school or organisation'),
  additionalInfo: optional(limits.answer),
})

export type FilesValues = z.input<typeof filesSchema>
export type FilesEntry = z.output<typeof filesSchema>

/** The mail that announces more files for an entry. */
export function filesMail(entry: FilesEntry, paths: string[], to: string[]) {
  return {
    to,
    subject: `Youth Awards - Additional Files - ${entry.entrantName}`,
    message: summaryHtml(
      'Youth Awards: additional files',
      [
        {
          heading: 'The entry',
          rows: [
            ['Entrant', entry.entrantName],
            ['School or organisation', entry.organisation],
            ['Additional information', entry.additionalInfo],
            ['Files', paths.length],
          ],
        },
      ],
      'Sent through the additional files form of the club website.',
    ),
    name: entry.entrantName,
    attachments: paths,
  }
}

/** The additional-files form. Nothing is saved in a table: the files are in the bucket, and the mail says whose they are. */
export const filesForm: FormSpec<FilesValues, FilesEntry> = {
  name: 'awards-uploads',
  title: 'Additional files',
  parts: [{ id: 'files-form', title: 'Files', fields: ['entrantName', 'organisation', 'additionalInfo', 'uploadedFiles'] }],
  empty: { entrantName: '', organisation: '', additionalInfo: '' },
  schema: filesSchema,
  checks: [missing],
  checkFiles: (paths) => (paths.length === 0 ? noFiles : undefined),
  send: (supabase, entry, paths) => sendEmail(supabase, filesMail(entry, paths, getSettings().filesEmails)),
  messages: {
    sendFailed: { title: 'Error', description: 'Failed to submit files. Please try again.' },
    success: {
      title: 'Files Submitted Successfully!',
      description: "Your additional files have been sent. We'll review them with your original entry.",
    },
  },
}
