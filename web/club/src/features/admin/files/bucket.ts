import { isPicture } from '@/lib/entry-file'

/** Bucket of the files of all entries. */
export const bucket = 'youth-awards-submissions'

const bucketTitles: Record<string, string> = { [bucket]: 'Award files', 'music-uploads': 'Music' }

/** Folder for exports of all entries, in the same bucket. */
const exportsFolder = 'exports/'

/** A readable name for the place of a stored file. */
export function placeTitle(bucketId: string, name: string): string {
  if (bucketId === bucket && name.startsWith(exportsFolder)) return 'Export of all entries'
  return bucketTitles[bucketId] ?? bucketId
}

/** Seconds for which the link to a file works. */
export const linkSeconds = 3600

export type FileKind = 'image' | 'audio' | 'pdf' | 'other'

const kinds: [FileKind, RegExp][] = [
  ['audio', /\.(mp3|m4a|aac|wav|ogg|oga|opus|flac|weba)$/i],
  ['pdf', /\.pdf$/i],
]

/** How a browser can show a file, judged by its name. */
export function fileKind(path: string): FileKind {
  if (isPicture(path)) return 'image'
  return kinds.find(([, pattern]) => pattern.test(path))?.[0] ?? 'other'
}
