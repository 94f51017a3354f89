import '@/lib/strict-zod'
import * as z from 'zod'

/** Limits that several records share. */
export const limits = {
  name: 200,
  location: 200,
  phone: 50,
  email: 255,
  notes: 1000,
  position: 100,
  organization: 200,
} as const

/** A name that must be given. */
export function requiredName(message: string) {
  return z.string().trim().min(1, message).max(limits.name, tooLong(limits.name))
}

/** A text that may be left empty, which is kept as null. */
export function optionalText(max: number) {
  return z.string().trim().max(max, tooLong(max)).transform(emptyToNull)
}

/** An address that may be left empty, which is kept as null. */
export function optionalEmail() {
  return z
    .string()
    .trim()
    .max(limits.email, tooLong(limits.email))
    .refine((text) => text === '' || z.email().safeParse(text).success, 'Invalid email')
    .transform(emptyToNull)
}

/** The message beside a text that is too long. The text itself stays as it was typed. */
export function tooLong(max: number): string {
  return `At most ${max} characters`
}

function emptyToNull(text: string): string | null {
  return text === '' ? null : text
}
