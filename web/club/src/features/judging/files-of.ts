import { isPicture } from '@/lib/entry-file'
import type { JudgedEntry } from './entry'

type Files = Pick<JudgedEntry, 'files'>

/** The paths of an entry's pictures, including those that this browser may be unable to show. */
export function picturesOf({ files }: Files): string[] {
  return files.filter(isPicture)
}

/** The paths of the files that are not pictures: PDF and Word. */
export function papersOf({ files }: Files): string[] {
  return files.filter((path) => !isPicture(path))
}
