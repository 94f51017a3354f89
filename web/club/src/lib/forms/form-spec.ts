import type { z } from 'zod'
import type { Supabase } from '@/lib/supabase'
import type { Notice } from '@cloch/ui/lib/notify'
import type { Check } from './rules'

/** A part of a form: a numbered group of fields under the band. */
export interface FormPart {
  id: string
  title: string
  /** The title, if it depends on an answer. */
  titleFor?: (values: Readonly<Record<string, unknown>>) => string
  fields: readonly string[]
}

/** The values of a form's controls. */
export type FormValues = Record<string, string | string[] | null>

/** Columns of a record, as returned by the database. */
export type Columns = Readonly<Record<string, unknown>>

/** A column's value as the text of a field. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The differences between the forms: fields, rules, messages, and where they send them. */
export interface FormSpec<Values extends FormValues, Entry> {
  /** Name of the form, for its draft. */
  name: string
  /** Name of the form in announcements. */
  title: string
  parts: readonly FormPart[]
  empty: Values
  schema: z.ZodType<Entry, Values>
  /** The checks of answers with their messages, in order. */
  checks: readonly Check[]
  /** Checks the files after the fields are valid. Returns the failed check, if any. */
  checkFiles?: (paths: string[]) => Check | undefined
  /** Conversion between entry and record, for corrections: the columns of an entry's record, and a record's columns as answers. */
  columns?: { of: (entry: Entry, paths: string[], key: string) => object; toValues: (columns: Columns) => Values }
  /** Saves the record. `key` is the same for every attempt to send the same filled form. Absent if nothing is saved. */
  save?: (supabase: Supabase, entry: Entry, paths: string[], key: string) => Promise<void>
  /** Sends the e-mail after the record was saved. A returned message replaces `messages.success`. */
  send?: (supabase: Supabase, entry: Entry, paths: string[], key: string) => Promise<Notice | undefined>
  messages: {
    saveFailed?: Notice
    sendFailed: Notice
    /** Message for an unexpected error; default: `sendFailed`. */
    unexpected?: Notice | ((error: unknown) => Notice)
    success: Notice
  }
}

/** An error that has its own message for the user. */
export class ToldFailure extends Error {
  readonly notice: Notice

  constructor(notice: Notice) {
    super(notice.title)
    this.notice = notice
  }
}
