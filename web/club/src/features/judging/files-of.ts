import { isPicture, isSound } from '@/lib/entry-file'
import type { JudgedEntry } from './entry'

type Files = Pick<JudgedEntry, 'files'>

/** The paths of an entry's pictures, including those that this browser may be unable to show. */
export function picturesOf({ files }: Files): string[] {
  return files.filter(isPicture)
}

/** Returns the paths of the recordings. */
export function soundsOf({ files }: Files): string[] {
  return files.filter(isSound)
}

/** Returns the paths of the other files (PDF and Word). */
export function papersOf({ files }: Files): string[] {
  return files.filter((path) => !isPicture(path) && !isSound(path))
}
