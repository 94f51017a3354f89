import '@/lib/strict-zod'
import * as z from 'zod'
import type { Notice } from '@cloch/ui/lib/notify'

/** A check of a form, with the message that is shown if the check fails. The messages beside the fields begin with the same text. */
export type Check = Notice & {
  description: string
  /** Marks the check for required fields. The messages of these fields say which field is empty. */
  covers?: 'missing'
}

/**
 * Maximum length of each kind of answer. The database has the same limits. If several answers are stored in one column, the column is long enough for
 * all of them.
 */
export const limits = {
  line: 200,
  phone: 50,
  email: 255,
  equipment: 500,
  /** A long answer in a nomination. */
  answer: 10_000,
  /** Description of a work, or of additional files. */
  description: 5000,
  note: 2000,
  piece: 600,
  message: 20_000,
}

/** A text that must not be empty or consist only of spaces. The message contains the name of the field: "Name of the nominee is missing". */
export function required(field: string, most = limits.line) {
  return z
    .string({ error: missingMessage(field) })
    .trim()
    .min(1, missingMessage(field))
    .max(most, tooLong(most))
}

/** A required e-mail address. */
export function requiredEmail(field: string) {
  return required(field, limits.email).pipe(z.email(badEmail))
}

/** A required e-mail address. The message is the same for a missing and for an invalid address. */
export function email() {
  return z.string().trim().max(limits.email, tooLong(limits.email)).pipe(z.email(badEmail))
}

/** An optional text. */
export function optional(most = limits.line) {
  return z.string().trim().max(most, tooLong(most))
}

/** A text with a minimum length. `message` is shown if the text is shorter. */
export function atLeast(least: number, message: string, most = limits.line) {
  return z.string().trim().min(least, message).max(most, tooLong(most))
}

const tooLongStart = 'Please keep this to '

function tooLong(most: number): string {
  return `${tooLongStart}${most} characters`
}

/** Whether a message does not contain the name of its field. */
export function isUnnamed(message: string): boolean {
  return message === badEmail || message.startsWith(tooLongStart)
}

/** An optional e-mail address. */
export function optionalEmail() {
  return z
    .string()
    .trim()
    .max(limits.email, tooLong(limits.email))
    .refine((value) => value === '' || z.email().safeParse(value).success, badEmail)
}

/** A required choice between a few answers. */
export function choice<const Values extends readonly [string, ...string[]]>(values: Values, message: string) {
  return z.string({ error: message }).pipe(z.enum(values, { error: message }))
}

/** An optional choice between a few answers. If no radio button of the group is selected, the browser returns null. */
export function optionalChoice<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z
    .string()
    .nullable()
    .transform((value) => (value === '' ? null : value))
    .pipe(z.enum(values).nullable())
}

/** A whole number between two bounds, typed as text. */
export function ageBetween(lowest: number, highest: number, message: string) {
  return z.string().trim().regex(/^\d+$/, message).transform(Number).pipe(z.number().min(lowest, message).max(highest, message))
}

export const badEmail = 'Please enter a valid email address'

const missingEnd = ' is missing'

/** The message for an empty required field. */
export function missingMessage(field: string): string {
  return `${field.charAt(0).toUpperCase()}${field.slice(1)}${missingEnd}`
}

/** The first check to which one of the messages belongs. */
export function firstFailed(checks: readonly Check[], messages: readonly string[]): Check | undefined {
  return checks.find((check) => messages.some((message) => belongsTo(check, message)))
}

function belongsTo(check: Check, message: string): boolean {
  if (check.covers === 'missing') return message.endsWith(missingEnd)
  return message.startsWith(check.description.replace(/\.$/, ''))
}
