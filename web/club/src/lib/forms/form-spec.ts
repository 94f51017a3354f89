import type { z } from 'zod'
import type { Supabase } from '@/lib/supabase'
import type { Notice } from '@cloch/ui/lib/notify'
import type { Check } from './rules'

/** A part of a form: a group of fields with a number and a title. */
export interface FormPart {
  id: string
  title: string
  /** Returns the title. Set if the title depends on an answer. */
  titleFor?: (values: Readonly<Record<string, unknown>>) => string
  fields: readonly string[]
}

/** The values of a form's controls. */
export type FormValues = Record<string, string | string[] | null>

/** The columns of a record, as the database returns them. */
export type Columns = Readonly<Record<string, unknown>>

/** Converts a column's value to the text of a field. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The properties that differ between the forms: fields, rules, messages, and how the answers are saved and sent. */
export interface FormSpec<Values extends FormValues, Entry> {
  /** Name of the form. The draft is stored under this name. */
  name: string
  /** Name of the form for assistive technology. */
  title: string
  parts: readonly FormPart[]
  empty: Values
  schema: z.ZodType<Entry, Values>
  /** The checks of the answers, in order. Each has a message. */
  checks: readonly Check[]
  /** Checks the files when all fields are valid. Returns the check that failed, if any. */
  checkFiles?: (paths: string[]) => Check | undefined
  /** Conversions for corrections. `of` returns the columns for an entry; `toValues` returns the answers for the columns of a stored record. */
  columns?: { of: (entry: Entry, paths: string[], key: string) => object; toValues: (columns: Columns) => Values }
  /** Saves the record. `key` is the same each time the same filled form is sent. Absent if the form saves nothing. */
  save?: (supabase: Supabase, entry: Entry, paths: string[], key: string) => Promise<void>
  /** Sends the e-mail when the record has been saved. If a message is returned, it is shown in place of `messages.success`. */
  send?: (supabase: Supabase, entry: Entry, paths: string[], key: string) => Promise<Notice | undefined>
  messages: {
    saveFailed?: Notice
    sendFailed: Notice
    /** Message for an unexpected error. Default: `sendFailed`. */
    unexpected?: Notice | ((error: unknown) => Notice)
    success: Notice
  }
}

/** An error with a message that is shown to the user. */
export class ToldFailure extends Error {
  readonly notice: Notice

  constructor(notice: Notice) {
    super(notice.title)
    this.notice = notice
  }
}
