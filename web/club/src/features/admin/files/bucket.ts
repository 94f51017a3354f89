import { isPicture } from '@/lib/entry-file'

/** Bucket that contains the files of all entries. */
export const bucket = 'youth-awards-submissions'

const bucketTitles: Record<string, string> = { [bucket]: 'Award files', 'music-uploads': 'Music' }

/** Folder in the same bucket for spreadsheets of all entries. */
const exportsFolder = 'exports/'

/** A readable name of the bucket or folder that contains a stored file. */
export function placeTitle(bucketId: string, name: string): string {
  if (bucketId === bucket && name.startsWith(exportsFolder)) return 'Export of all entries'
  return bucketTitles[bucketId] ?? bucketId
}

/** Lifetime of a link to a file in seconds. */
export const linkSeconds = 3600

export type FileKind = 'image' | 'audio' | 'pdf' | 'other'

const kinds: [FileKind, RegExp][] = [
  ['audio', /\.(mp3|m4a|aac|wav|ogg|oga|opus|flac|weba)$/i],
  ['pdf', /\.pdf$/i],
]

/** The way in which a browser can show a file, according to the file's name. */
export function fileKind(path: string): FileKind {
  if (isPicture(path)) return 'image'
  return kinds.find(([, pattern]) => pattern.test(path))?.[0] ?? 'other'
}
