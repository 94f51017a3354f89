import '@/lib/strict-zod'
import * as z from 'zod'

/** Limits that several kinds of records share. */
export const limits = {
  name: 200,
  location: 200,
  phone: 50,
  email: 255,
  notes: 1000,
  position: 100,
  organization: 200,
} as const

/** A required name. */
export function requiredName(message: string) {
  return z.string().trim().min(1, message).max(limits.name, tooLong(limits.name))
}

/** An optional text. An empty field is stored as null. */
export function optionalText(max: number) {
  return z.string().trim().max(max, tooLong(max)).transform(emptyToNull)
}

/** An optional e-mail address. An empty field is stored as null. */
export function optionalEmail() {
  return z
    .string()
    .trim()
    .max(limits.email, tooLong(limits.email))
    .refine((text) => text === '' || z.email().safeParse(text).success, 'Invalid email')
    .transform(emptyToNull)
}

/** Error message for a text that is too long. The text in the field is not shortened. */
export function tooLong(max: number): string {
  return `At most ${max} characters`
}

function emptyToNull(text: string): string | null {
  return text === '' ? null : text
}
