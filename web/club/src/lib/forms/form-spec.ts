import type { z } from 'zod'
import type { Supabase } from '@/lib/supabase'
import type { Notice } from '@cloch/ui/lib/notify'
import type { Check } from './rules'

/** A part of a form: a numbered group of fields under the band. */
export interface FormPart {
  id: string
  title: string
  /** The title where it depends on an answer. */
  titleFor?: (values: Readonly<Record<string, unknown>>) => string
  fields: readonly string[]
}

/** The values of a form as its controls hold them. */
export type FormValues = Record<string, string | string[] | null>

/** Columns of a record, as the database gives them. */
export type Columns = Readonly<Record<string, unknown>>

/** A column as a text field holds it. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** What makes one form differ from another: its fields, rules, messages, and where it sends them. */
export interface FormSpec<Values extends FormValues, Entry> {
  /** Name of the form, for its draft. */
  name: string
  /** What the form is called where it is announced. */
  title: string
  parts: readonly FormPart[]
  empty: Values
  schema: z.ZodType<Entry, Values>
  /** The messages for refused answers, in the order in which they are checked. */
  checks: readonly Check[]
  /** Checked after the fields are right: what is wrong with the files, if anything. */
  checkFiles?: (paths: string[]) => Check | undefined
  /** The columns of the record that an entry makes, and the answers that a record holds: for an entry that is corrected. */
  columns?: { of: (entry: Entry, paths: string[], key: string) => object; toValues: (columns: Columns) => Values }
  /** Saves the record. `key` is the same for every attempt to send one fill of the form. Absent if nothing is saved. */
  save?: (supabase: Supabase, entry: Entry, paths: string[], key: string) => Promise<void>
  /** Sends the e-mail, after the record was saved. What it returns is said instead of `messages.success`. */
  send?: (supabase: Supabase, entry: Entry, paths: string[], key: string) => Promise<Notice | undefined>
  messages: {
    saveFailed?: Notice
    sendFailed: Notice
    /** For an unexpected error; `sendFailed` by default. */
    unexpected?: Notice | ((error: unknown) => Notice)
    success: Notice
  }
}

/** A failure that knows how it wants to be told. */
export class ToldFailure extends Error {
  readonly notice: Notice

  constructor(notice: Notice) {
    super(notice.title)
    this.notice = notice
  }
}
