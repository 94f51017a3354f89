import * as z from 'zod'
import type { TablesInsert } from '@/lib/database.types'
import type { FormSpec } from '@/lib/forms/form-spec'
import { atLeast, type Check } from '@/lib/forms/rules'
import type { Notice } from '@cloch/ui/lib/notify'

export const nomineeRequired: Check = { title: 'Nominee required', description: "Please enter the nominee's name." }
export const noFiles: Check = { title: 'No files', description: 'Please add one or more audio files.' }

export const musicSchema = z.object({ nomineeName: atLeast(1, nomineeRequired.description) })

export type MusicValues = z.input<typeof musicSchema>
export type MusicEntry = z.output<typeof musicSchema>

/** The message after recordings were sent: the number that arrived, or the number that failed. */
export function batchNotice(failed: number, total: number): Notice {
  if (failed > 0) {
    return { title: 'Some uploads failed', description: `${failed} of ${total} file(s) failed. Please retry.` }
  }
  return { title: 'Upload complete', description: `${total} file(s) uploaded successfully.` }
}

/** The message for an error that concerns all files, not a single one. */
export function batchError(error: unknown): Notice {
  return {
    title: 'Upload error',
    description: error instanceof Error && error.message !== '' ? error.message : 'Unexpected error',
  }
}

/** Converts recordings that belong to an entry to a row of the table. */
export function musicRecord(nominee: string, paths: string[], key: string): TablesInsert<'extra_files'> {
  return { kind: 'music', entrant_name: nominee, uploaded_files: paths, submission_key: key }
}

/** The spec of the music form. It has no `send`, because the recordings are sent by the upload itself. */
export const musicForm: Omit<FormSpec<MusicValues, MusicEntry>, 'send' | 'checkFiles'> = {
  name: 'upload-music',
  title: 'Music files',
  parts: [{ id: 'music-form', title: 'Music', fields: ['nomineeName', 'uploadedFiles'] }],
  empty: { nomineeName: '' },
  schema: musicSchema,
  checks: [nomineeRequired],
  messages: {
    sendFailed: { title: 'Upload error', description: 'Unexpected error' },
    unexpected: batchError,
    success: { title: 'Upload complete' },
  },
}
