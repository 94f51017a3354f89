import '@/lib/strict-zod'
import * as z from 'zod'
import { keepUnsaved, readUnsaved } from '@/lib/unsaved-input'

const letterSchema = z.object({ message: z.string(), subject: z.string() })

/** A letter as its writer left it, with the subject that the server gave with the draft. */
export type KeptLetter = z.output<typeof letterSchema>

/** The letter that was kept under a name, or undefined if there is none. */
export function readLetter(name: string): KeptLetter | undefined {
  return letterSchema.safeParse(readUnsaved(name)).data
}

export function keepLetter(name: string, letter: KeptLetter) {
  keepUnsaved(name, letter)
}
