import '@/lib/strict-zod'
import * as z from 'zod'
import { keepUnsaved, readUnsaved } from '@/lib/unsaved-input'

const letterSchema = z.object({ message: z.string(), subject: z.string() })

/** An unsent letter. Its subject is the one that the server returned with the draft. */
export type KeptLetter = z.output<typeof letterSchema>

/** The letter that is stored under a name, or undefined. */
export function readLetter(name: string): KeptLetter | undefined {
  return letterSchema.safeParse(readUnsaved(name)).data
}

export function keepLetter(name: string, letter: KeptLetter) {
  keepUnsaved(name, letter)
}
