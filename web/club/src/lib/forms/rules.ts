import '@/lib/strict-zod'
import * as z from 'zod'
import type { Notice } from '@cloch/ui/lib/notify'

/** A check of a form: the message that is shown when it fails, which is also how the messages beside its fields begin. */
export type Check = Notice & {
  description: string
  /** The check of required fields: the messages beside them say which is missing. */
  covers?: 'missing'
}

/** Maximum number of characters of each kind of answer: what the database takes. A column that joins answers takes all of them. */
export const limits = {
  line: 200,
  phone: 50,
  email: 255,
  equipment: 500,
  /** A long answer of a nomination. */
  answer: 10_000,
  /** A description of a work, or of additional files. */
  description: 5000,
  note: 2000,
  piece: 600,
  message: 20_000,
}

/** Text that must not be blank. The message names the field: "Name of the nominee is missing". */
export function required(field: string, most = limits.line) {
  return z
    .string({ error: missingMessage(field) })
    .trim()
    .min(1, missingMessage(field))
    .max(most, tooLong(most))
}

/** An e-mail address that must be given. */
export function requiredEmail(field: string) {
  return required(field, limits.email).pipe(z.email(badEmail))
}

/** An e-mail address that must be given, with one message for none and for a wrong one. */
export function email() {
  return z.string().trim().max(limits.email, tooLong(limits.email)).pipe(z.email(badEmail))
}

/** Text that may be left out. */
export function optional(most = limits.line) {
  return z.string().trim().max(most, tooLong(most))
}

/** Text of a least length, with the message for less. */
export function atLeast(least: number, message: string, most = limits.line) {
  return z.string().trim().min(least, message).max(most, tooLong(most))
}

const tooLongStart = 'Please keep this to '

function tooLong(most: number): string {
  return `${tooLongStart}${most} characters`
}

/** Whether the message beside a field does not say which field it belongs to. */
export function isUnnamed(message: string): boolean {
  return message === badEmail || message.startsWith(tooLongStart)
}

/** An e-mail address that may be left out. */
export function optionalEmail() {
  return z
    .string()
    .trim()
    .max(limits.email, tooLong(limits.email))
    .refine((value) => value === '' || z.email().safeParse(value).success, badEmail)
}

/** One of a few answers; the answer may not be left out. */
export function choice<const Values extends readonly [string, ...string[]]>(values: Values, message: string) {
  return z.string({ error: message }).pipe(z.enum(values, { error: message }))
}

/** One of a few answers, or none: an untouched group of radio buttons is null to the browser. */
export function optionalChoice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z
    .string()
    .nullable()
    .transform((value) => (value === '' ? null : value))
    .pipe(z.enum(values).nullable())
}

/** A whole number within bounds, typed into a text field. */
export function ageBetween(lowest: number, highest: number, message: string) {
  return z.string().trim().regex(/^\d+$/, message).transform(Number).pipe(z.number().min(lowest, message).max(highest, message))
}

export const badEmail = 'Please enter a valid email address'

const missingEnd = ' is missing'

/** The message beside a required field that is empty. */
export function missingMessage(field: string): string {
  return `${field.charAt(0).toUpperCase()}${field.slice(1)}${missingEnd}`
}

/** The first of `checks`, in their order, that one of the messages beside the fields belongs to. */
export function firstFailed(checks: readonly Check[], messages: readonly string[]): Check | undefined {
  return checks.find((check) => messages.some((message) => belongsTo(check, message)))
}

function belongsTo(check: Check, message: string): boolean {
  if (check.covers === 'missing') return message.endsWith(missingEnd)
  return message.startsWith(check.description.replace(/\.$/, ''))
}
